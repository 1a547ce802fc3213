// SPDX-License-Identifier: Apache-2.0

/// A reply that has ended.
public struct MessageCompletion: Hashable, Sendable {
    /// The whole reply, as it is in the history.
    public var message: ChatMessage
    /// Facts about the generation.
    public var info: GenerationInfo

    /// Creates a completion.
    public init(message: ChatMessage, info: GenerationInfo) {
        self.message = message
        self.info = info
    }

    /// Why the generation ended.
    public var finishReason: FinishReason { info.finishReason }

    /// Token counts and times; nil where the runner does not know them.
    public var stats: GenerationStats? { info.stats }
}
