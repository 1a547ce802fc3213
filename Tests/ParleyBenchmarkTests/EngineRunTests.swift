// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyBenchmark
import ParleyConversation
import ParleyJSON
import ParleyLocal
import ParleyModelFile
import ParleyTestSupport
import ParleyTesting
import ParleyTokenizer
import Testing

@Suite("EngineRun")
struct EngineRunTests {
    /// A run with one prompt.
    static func run(_ engine: String, decode: Double = 40) -> EngineRun {
        var run = EngineRun(engine: engine)
        run.loadSeconds = 0.5
        run.peakMemory = 123_456_789
        run.prompts = [
            .init(
                promptTokens: 32, replyTokens: 8, firstToken: Samples([0.25, 0.5, 0.75]), decode: Samples([decode]))
        ]
        return run
    }

    @Test("a run encoded by one process can be decoded by another")
    func json() throws {
        let failed = EngineRun(engine: "b", failure: "It fell over.")
        var own = Self.run("c")
        own.model = "a-folder"
        for run in [Self.run("a"), failed, own] {
            #expect(EngineRun(json: try JSONValue(parsing: run.json.text())) == run)
        }
        #expect(Self.run("a").json["success"] == true)
        #expect(failed.json["success"] == false)
        #expect(EngineRun(json: ["engines": []]) == nil)
    }

    @Test("reading is counted by the median time to the first token")
    func prefill() {
        #expect(Self.run("a").prompts[0].prefill == 64)
    }

    @Test("a model is loaded for the prompts that fit it; where the engine fails, the run says why")
    func measures() async throws {
        let url = URL.temporary(".gguf")
        defer { try? FileManager.default.removeItem(at: url) }
        var tiny = TinyModel()
        tiny.context = 64
        try Data(tiny.writer().encoded()).write(to: url)
        let tokenizer = try Tokenizer(try GGUFFile(contentsOf: url).tokenizerDescription())
        var plan = BenchmarkPlan.comparison(of: [32, 512, 4_096])
        (plan.replyTokens, plan.repetitions) = (4, 1)

        let run = try await EngineRun.measuring("scripted", on: url, plan: plan) { configuration in
            #expect(configuration.contextSize == 36)
            return .tokens(ScriptedModel(tokenizer: tokenizer) { _ in 65 }, contextSize: 64)
        }
        #expect(run.prompts.map(\.promptTokens) == [32])
        #expect(run.failure == nil && run.loadSeconds > 0 && run.peakMemory > 0)

        let failed = try await EngineRun.measuring("scripted", on: url, plan: plan, failure: { "words: \($0)" }) { _ in
            throw BenchmarkError("It fell over.")
        }
        #expect(failed.failure == "words: It fell over." && failed.prompts.isEmpty)
        await #expect(throws: CancellationError.self) {
            _ = try await EngineRun.measuring("scripted", on: url, plan: plan) { _ in throw CancellationError() }
        }
    }

    @Test("a model that answers whole messages is measured by replies to texts, without the prompts that do not fit")
    func measuresReplies() async throws {
        let runner = ScriptedRunner { request, _ in
            let words = request.messages.last?.text.split(separator: " ").count ?? 0
            if words > 1_000 {
                return ScriptedReply(steps: [.fail(ConversationError(.promptExceedsContext, "It is too long."))])
            }
            return ScriptedReply("one two three four five six")
        }
        var plan = BenchmarkPlan.comparison(of: [32, 512, 4_096])
        (plan.replyTokens, plan.repetitions) = (4, 2)
        let run = try await EngineRun.measuring("scripted", on: URL.temporary(".none"), plan: plan) { _ in
            .runner(runner)
        }
        #expect(run.failure == nil)
        #expect(run.prompts.map(\.promptTokens) == [32, 512])
        #expect(run.prompts.allSatisfy { $0.firstToken.values.count == 2 && $0.decode.least > 0 })
    }
}
