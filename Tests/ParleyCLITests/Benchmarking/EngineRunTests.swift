// SPDX-License-Identifier: Apache-2.0

import ParleyCLI
import ParleyJSON
import Testing

@Suite("EngineRun")
struct EngineRunTests {
    /// A run with one prompt.
    static func run(_ engine: String, decode: Double = 40) -> EngineRun {
        var run = EngineRun(engine: engine)
        run.loadSeconds = 0.5
        run.peakMemory = 123_456_789
        run.rows = [
            .init(
                prompt: "short", promptTokens: 32, replyTokens: 8, firstToken: Samples([0.25, 0.5, 0.75]),
                decode: Samples([decode]))
        ]
        return run
    }

    @Test("what one process writes, another reads")
    func json() throws {
        let failed = EngineRun(engine: "b", failure: "It fell over.")
        for run in [Self.run("a"), failed] {
            #expect(EngineRun(json: try JSONValue(parsing: run.json.text())) == run)
        }
        #expect(Self.run("a").json["success"] == true)
        #expect(failed.json["success"] == false)
        #expect(EngineRun(json: ["engines": []]) == nil)
    }

    @Test("reading is counted by the median time to the first token")
    func prefill() {
        #expect(Self.run("a").rows[0].prefill == 64)
    }
}
