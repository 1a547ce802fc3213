// SPDX-License-Identifier: Apache-2.0

/// The messages of a prompt that fits into the context.
public struct FittedPrompt: Sendable {
    /// The messages to send.
    public var messages: [ChatMessage]
    /// The length of the prompt in tokens.
    public var promptTokens: Int
    /// The number of turns that were left out.
    public var droppedTurns: Int
}
