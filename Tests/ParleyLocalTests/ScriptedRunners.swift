// SPDX-License-Identifier: Apache-2.0

import ParleyLocal
import ParleyModelFile
import ParleyRuntime
import ParleyTesting
import ParleyTokenizer

/// A model whose template and text a test chooses.
struct TemplatedModel: TokenModel {
    var info: ModelDescription
    var base: ScriptedModel
    var executor: (any TaskExecutor)?
    var tokenizer: Tokenizer { base.tokenizer }

    func makeTimeline(capacity: Int) throws -> any TokenTimeline {
        base.makeTimeline(capacity: capacity)
    }
}

/// Runners over models with scripted replies.
enum ScriptedRunners {
    /// What the replies of ``TinyTokenizer/chatTemplate`` begin with.
    static let head = "assistant\n"

    static func tokenizer(of architecture: TinyArchitecture = .llama) throws -> Tokenizer {
        let file = try GGUFFile(bytes: TinyModel(architecture).writer().encoded()[...])
        return try Tokenizer(file.tokenizerDescription())
    }

    /// A vocabulary with tokens of their own for the tags of reasoning.
    static func reasoningTokenizer(
        tags: [String] = ["<think>", "</think>"], areControl: Bool = false
    ) throws -> Tokenizer {
        var writer = TinyModel().writer()
        let tokens = TinyTokenizer.bytePairs.tokens + tags
        let kind: Int32 = areControl ? 3 : 4
        writer.set("tokenizer.ggml.tokens", .strings(tokens))
        // Control tokens are of kind 3, tokens that are found in text before all others of kind 4.
        writer.set(
            "tokenizer.ggml.token_type",
            .integers(tokens.indices.map { $0 < 3 ? 3 : $0 < tokens.count - tags.count ? 1 : kind }))
        return try Tokenizer(GGUFFile(bytes: writer.encoded()[...]).tokenizerDescription())
    }

    /// A model that replies to every prompt with a text, if it is allowed to, and then ends; `head` is the text after
    /// the last `<|im_start|>` of a prompt.
    static func model(
        saying reply: String, head: String = head, template: String? = TinyTokenizer.chatTemplate,
        sampling: SamplingOptions = .init(), tokenizer: Tokenizer? = nil,
        beforeEmbedding: @escaping @Sendable (InputEmbedding) async throws -> Void = { _ in }
    ) throws -> TemplatedModel {
        let tokenizer = try tokenizer ?? Self.tokenizer()
        let text = tokenizer.encode([TextSegment(head + reply, origin: .template)])
        let start = tokenizer.id(ofSpelling: "<|im_start|>")
        let end = tokenizer.endOfGeneration.min() ?? 0
        let base = ScriptedModel(tokenizer: tokenizer, beforeEmbedding: beforeEmbedding) { tokens in
            let said = tokens.count - 1 - (tokens.lastIndex { $0 == start } ?? 0)
            return text.indices.contains(said) ? text[said] : end
        }
        var info = base.info
        info.chatTemplate = template
        info.sampling = sampling
        return TemplatedModel(info: info, base: base)
    }

    static func runner(
        saying reply: String, head: String = head, template: String? = TinyTokenizer.chatTemplate, timelines: Int = 4
    ) throws -> LocalModelRunner {
        try LocalModelRunner(
            model(saying: reply, head: head, template: template), contextSize: 8_192, timelines: timelines)
    }
}
