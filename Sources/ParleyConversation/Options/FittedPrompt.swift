// SPDX-License-Identifier: Apache-2.0

/// A prompt that fits.
public struct FittedPrompt: Sendable {
    /// The messages to send.
    public var messages: [ChatMessage]
    /// The size of their prompt.
    public var promptTokens: Int
    /// How many turns were left out.
    public var droppedTurns: Int
}
