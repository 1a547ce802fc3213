// SPDX-License-Identifier: Apache-2.0

/// Information about a generation that has ended.
public struct GenerationInfo: Hashable, Sendable {
    /// Why it ended.
    public var finishReason: FinishReason
    /// Token counts and times; nil where the runner does not know them.
    public var stats: GenerationStats?
    /// How the prompt was made from the conversation.
    public var prompt: PromptReport
    /// The function calls in the reply that could not be read, in order. They are not among the message's calls.
    public var rejectedFunctionCalls: [FunctionCallRejection]
    /// The ids of the generated tokens, those of tags and of the end included; nil if the runner does not know them.
    public var tokens: [Int32]?
    /// The stop string that ended the reply; nil if none did, or the runner does not know it.
    public var stopString: String?
    /// The tokens of the answer with their probabilities; nil unless ``GenerationOptions/likelyTokens`` asks for them.
    public var probabilities: [TokenProbability]?

    /// Creates the information about a generation.
    public init(
        finishReason: FinishReason, stats: GenerationStats? = nil, prompt: PromptReport = PromptReport(),
        rejectedFunctionCalls: [FunctionCallRejection] = []
    ) {
        self.finishReason = finishReason
        self.stats = stats
        self.prompt = prompt
        self.rejectedFunctionCalls = rejectedFunctionCalls
    }
}
