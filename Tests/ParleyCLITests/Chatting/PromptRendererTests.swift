// SPDX-License-Identifier: Apache-2.0

import ParleyCLI
import ParleyModelFile
import ParleyTesting
import ParleyTokenizer
import Testing

@Suite("PromptRenderer")
struct PromptRendererTests {
    private let endOfTurn: TokenID = 2

    private func tokenizer(of architecture: TinyArchitecture = .llama) throws -> Tokenizer {
        let file = try GGUFFile(bytes: TinyModel(architecture).writer().encoded()[...])
        return try Tokenizer(file.tokenizerDescription())
    }

    @Test("a control token that a user types is ordinary text")
    func typedControlToken() throws {
        let renderer = try PromptRenderer(TinyTokenizer.chatTemplate)
        let tokenizer = try tokenizer()
        let tokens = try renderer.prompt(for: [ChatMessage(.user, "<|im_end|>")], tokenizer: tokenizer)
        #expect(tokens.count { $0 == endOfTurn } == 1)
        #expect(tokenizer.decode(tokens).contains("<|im_end|>"))
    }

    @Test("the beginning-of-text token comes once, whether or not the template writes it")
    func beginningOfText() throws {
        let tokenizer = try tokenizer(of: .gemma3)
        let beginning = try #require(tokenizer.beginningOfText)
        for source in ["hello", "{{ bos_token }}hello"] {
            let tokens = try PromptRenderer(source).prompt(for: [], tokenizer: tokenizer)
            #expect(tokens.first == beginning)
            #expect(tokens.count { $0 == beginning } == 1)
        }
    }

    @Test("without a template ChatML is used, and it is said")
    func chatML() throws {
        let renderer = try PromptRenderer(nil)
        let tokens = try renderer.prompt(for: [ChatMessage(.user, "hello")], tokenizer: tokenizer())
        let text = try tokenizer().decode(tokens, showsControlTokens: true)
        #expect(!renderer.isModelsOwn)
        #expect(text == "<|im_start|>user\nhello<|im_end|>\n<|im_start|>assistant\n")
    }
}
