// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import Testing

@Suite("Generation options")
struct GenerationOptionsTests {
    private static func options(_ change: (inout GenerationOptions) -> Void) -> GenerationOptions {
        var options = GenerationOptions()
        change(&options)
        return options
    }

    @Test("Options take precedence over the model's defaults, which take precedence over the engine's")
    func filling() {
        let model = GenerationOptions(temperature: 0.5, topK: 7, stop: ["a"], timeout: .seconds(3))
        let engine = GenerationOptions(
            temperature: 0.7, topK: 40, topP: 0.9, minP: 0.05, maxTokens: 99, stop: ["a", "b"])
        let options = GenerationOptions(temperature: 0).filled(from: model).filled(from: engine)
        #expect(options.temperature == 0)
        #expect(options.topK == 7)
        #expect(options.topP == 0.9)
        #expect(options.minP == 0.05)
        #expect(options.maxTokens == 99)
        #expect(options.timeout == .seconds(3))
        #expect(options.stop == ["a", "b"])
        #expect(options.seed == nil)
    }

    @Test(
        "An option out of range is named",
        arguments: [
            (GenerationOptions(temperature: -1), "temperature"),
            (GenerationOptions(temperature: .infinity), "temperature"),
            (GenerationOptions(topK: -1), "topK"), (GenerationOptions(topP: 1.5), "topP"),
            (GenerationOptions(minP: -0.1), "minP"), (GenerationOptions(repetitionPenalty: 0), "repetitionPenalty"),
            (GenerationOptions(maxTokens: -1), "maxTokens"),
            (GenerationOptions(maxReasoningTokens: -1), "maxReasoningTokens"),
            (GenerationOptions(timeout: .seconds(-1)), "timeout"), (GenerationOptions(topP: .nan), "topP"),
            (Self.options { $0.likelyTokens = -1 }, "likelyTokens"),
            (Self.options { $0.schemaTimeout = .seconds(-1) }, "schemaTimeout"),
            (Self.options { $0.heldBlocks = [HeldBlock(opening: "", schema: .boolean(), closing: "]")] }, "heldBlocks"),
        ])
    func validation(options: GenerationOptions, name: String) throws {
        let error = try #require(throws: ConversationError.self) { try options.validate() }
        #expect(error.code == .invalidInput)
        #expect(error.message.hasPrefix(name))
    }

    @Test("The defaults are in range")
    func defaults() throws {
        try GenerationOptions().validate()
        try GenerationOptions(temperature: 0, topK: 0, topP: 1, minP: 0, maxTokens: 0).validate()
    }
}
