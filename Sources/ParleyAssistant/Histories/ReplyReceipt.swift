// SPDX-License-Identifier: Apache-2.0

public import ParleyConversation

/// What a reply was made of: enough to generate it again with the same build and model.
public struct ReplyReceipt: Hashable, Sendable {
    /// The name of the model.
    public var model: String
    /// The digest of the model's file, such as `sha256:…`; nil if it is not known.
    public var modelDigest: String?
    /// The SHA-256 digest of the prompt's tokens; nil if the runner does not tell it.
    public var promptDigest: String?
    /// The tokens of the prompt; empty if the runner does not tell them.
    public var promptTokens: [Int32]
    /// The number of tokens of the prompt, those of images included; 0 if the runner does not tell it.
    public var promptTokenCount: Int
    /// The number of tokens of the prompt that were in the engine's cache.
    public var cachedPromptTokens: Int
    /// The number of generated tokens.
    public var completionTokens: Int
    /// The number of generated tokens that are reasoning.
    public var reasoningTokens: Int
    /// Generated tokens per second, from the first to the last; nil if that is not known.
    public var tokensPerSecond: Double?
    /// The seconds until the first token, the reading of the prompt included; nil if that is not known.
    public var firstTokenSeconds: Double?
    /// The number of turns that were left out of the prompt.
    public var droppedTurns: Int
    /// The number of turns that were replaced by a summary.
    public var summarisedTurns: Int
    /// The number of images that were left out.
    public var droppedImages: Int
    /// How tokens were drawn, with the seed in use.
    public var sampling: SamplingOptions
    /// The budget of new tokens, if there was one.
    public var maxTokens: Int?
    /// The budget of reasoning, if there was one.
    public var maxReasoningTokens: Int?
    /// The texts that end the reply.
    public var stop: [String]
    /// Why the reply ended; nil if that is not known any more.
    public var finishReason: FinishReason?
    /// The tokens of the reply, those of tags and of the end included; empty if the runner does not tell them.
    public var tokens: [Int32]
    /// The number of images in the prompt, which are not among its tokens.
    public var images: Int
    /// Whether the prompt ends inside reasoning.
    public var startsInsideReasoning: Bool
    /// What decided which tokens the reply could have; nil if that is not known any more.
    public var rule: ReplyRule?

    /// The options that generate the reply again; nil if the receipt lacks something for that.
    public var options: GenerationOptions? {
        guard let rule, sampling.seed != nil, !promptTokens.isEmpty, !tokens.isEmpty, images == 0 else { return nil }
        var options = GenerationOptions(
            maxTokens: maxTokens, maxReasoningTokens: maxReasoningTokens, stop: stop, jsonSchemaConstraint: rule.schema,
            heldBlocks: rule.heldBlocks, reasoning: rule.reasoning, functionCalling: rule.functionCalling)
        options.sampling = sampling
        // A reply that was ended from outside has no other end than the number of its tokens.
        if finishReason == nil || finishReason == .cancelled || finishReason == .timeout {
            options.maxTokens = tokens.count
        }
        return options
    }

    /// Makes the receipt of a reply that has ended.
    ///
    /// - Parameters:
    ///   - info: what the runner tells about it.
    ///   - options: what was asked for.
    ///   - functions: the functions that the model could call.
    ///   - model: the name of the model.
    ///   - modelDigest: the digest of the model's file, if it is known.
    public init(
        _ info: GenerationInfo, options: GenerationOptions, functions: [Function] = [], model: String,
        modelDigest: String? = nil
    ) {
        self.init(model: model, sampling: info.prompt.sampling ?? options.sampling)
        self.modelDigest = modelDigest
        promptDigest = info.prompt.digest
        promptTokens = info.prompt.tokens ?? []
        cachedPromptTokens = info.stats?.cachedPromptTokens ?? 0
        completionTokens = info.stats?.completionTokens ?? 0
        promptTokenCount = info.stats?.promptTokens ?? promptTokens.count
        reasoningTokens = info.stats?.reasoningTokens ?? 0
        tokensPerSecond = info.stats.flatMap { $0.tokensPerSecond > 0 ? Self.rounded($0.tokensPerSecond) : nil }
        firstTokenSeconds = info.stats?.timeToFirstToken.map { Self.rounded($0 / .seconds(1)) }
        (droppedTurns, summarisedTurns) = (info.prompt.droppedTurns, info.prompt.summarisedTurns)
        droppedImages = info.prompt.droppedImages
        (maxTokens, maxReasoningTokens, stop) = (options.maxTokens, options.maxReasoningTokens, options.stop)
        finishReason = info.finishReason
        (tokens, images) = (info.tokens ?? [], info.prompt.images)
        startsInsideReasoning = info.prompt.startsInsideReasoning
        rule = ReplyRule(options, functions: functions, functionCallFormat: info.prompt.functionCallFormat)
    }

    /// A measured number as it is saved: in thousandths.
    private static func rounded(_ number: Double) -> Double { (number * 1_000).rounded() / 1_000 }

    init(model: String, sampling: SamplingOptions) {
        (self.model, self.sampling) = (model, sampling)
        (promptTokens, cachedPromptTokens, completionTokens) = ([], 0, 0)
        (promptTokenCount, reasoningTokens) = (0, 0)
        (droppedTurns, summarisedTurns, droppedImages, stop) = (0, 0, 0, [])
        (tokens, images, startsInsideReasoning, rule) = ([], 0, false, nil)
    }
}
