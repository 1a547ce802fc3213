// SPDX-License-Identifier: Apache-2.0

/// Facts about a generation that has ended.
public struct GenerationInfo: Hashable, Sendable {
    /// Why it ended.
    public var finishReason: FinishReason
    /// What it cost; nil where the runner does not know.
    public var stats: GenerationStats?
    /// What the runner did to make the prompt.
    public var prompt: PromptReport
    /// Function calls of the model that could not be read, in order, each with its text. They are not among the
    /// message's calls.
    public var rejectedFunctionCalls: [FunctionCallRejection]

    /// Creates the facts about a generation.
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
