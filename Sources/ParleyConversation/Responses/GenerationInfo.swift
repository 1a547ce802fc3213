// SPDX-License-Identifier: Apache-2.0

/// What is to be known about a generation that has ended.
public struct GenerationInfo: Hashable, Sendable {
    /// Why it ended.
    public var finishReason: FinishReason
    /// What it cost; nil where the runner cannot tell.
    public var stats: GenerationStats?
    /// What the runner did to make the prompt.
    public var prompt: PromptReport
    /// Function calls of the model that could not be read, in order. None of them is among the message's calls, and
    /// the text of each is here.
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
