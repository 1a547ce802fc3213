// SPDX-License-Identifier: Apache-2.0

import ParleyBenchmark
import ParleyModelFile
import ParleyRuntime
import ParleyTesting
import ParleyTokenizer
import Testing

@Suite("EngineBenchmark with and without guesses")
struct EngineBenchmarkDraftingTests {
    private let tokenizer: Tokenizer

    init() throws {
        let file = try GGUFFile(bytes: TinyModel().writer().encoded()[...])
        tokenizer = try Tokenizer(file.tokenizerDescription())
    }

    @Test("replies with and without drafting are compared, and accepted drafts are counted")
    func measures() async throws {
        let line = tokenizer.encode("let the quick brown fox jump over the lazy dog")
        let model = ScriptedModel(tokenizer: tokenizer) { line[$0.count % line.count] }
        let result = try await EngineBenchmark(model: model).drafting(line + line, count: 50, repetitions: 2)
        #expect(result.isSame)
        #expect(result.tokens == 50)
        #expect(result.guesses.right > 25 && result.guesses.right <= result.guesses.made)
        #expect(result.plain.values.count == 2 && result.drafted.values.count == 2 && result.ratio.values.count == 2)
    }

    @Test("a reply ends with the model's end-of-generation token")
    func ends() async throws {
        let prompt = tokenizer.encode("Hello")
        let model = ScriptedModel(tokenizer: tokenizer, saying: tokenizer.encode("you"), after: prompt.count)
        let result = try await EngineBenchmark(model: model).drafting(prompt, count: 50, repetitions: 1)
        #expect(result.tokens == tokenizer.encode("you").count)
    }
}
