// SPDX-License-Identifier: Apache-2.0

import ParleyBenchmark
import ParleyModelFile
import ParleyRuntime
import ParleyTesting
import ParleyTokenizer
import Testing

@Suite("EngineBenchmark of a prompt beside a reply")
struct EngineBenchmarkJoiningTests {
    @Test("a prompt is processed during a reply as often as requested")
    func measures() async throws {
        var tiny = TinyModel()
        tiny.context = 2_048
        let file = try GGUFFile(bytes: tiny.writer().encoded()[...])
        let model = ScriptedModel(tokenizer: try Tokenizer(file.tokenizerDescription())) { _ in 65 }
        let result = try await EngineBenchmark(model: model).joining(2_000, repetitions: 2)
        #expect(result.usualWait.values.count == 2)
        #expect(result.longestWait.median >= result.usualWait.median)
        #expect(result.reading.values.allSatisfy { $0 > 0 })
    }
}
