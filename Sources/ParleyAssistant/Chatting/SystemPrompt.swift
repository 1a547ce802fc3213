// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The text that precedes a conversation, and whether others than the user have written parts of it.
public struct SystemPrompt: Hashable, Sendable {
    /// The text.
    public var text: String
    /// Whether the text contains untrusted text, such as notes: actions in a turn that reads it are asked about.
    public var isUntrusted: Bool

    /// Creates a prompt.
    public init(_ text: String, isUntrusted: Bool = false) { (self.text, self.isUntrusted) = (text, isUntrusted) }
}

/// How actions are offered to a model.
public enum ActionOffer: Hashable, Sendable {
    /// The model writes them as blocks in its reply.
    case blocks
    /// The model calls functions, which its prompt describes by itself.
    case functions
    /// None: the model answers from what it has read.
    case nothing
}

/// Writes the system prompt of a turn.
public protocol SystemPromptBuilder: Sendable {
    /// The kinds of actions that are offered.
    var tags: [ActionTag] { get }

    /// The prompt of a turn. It should change as seldom as possible: after a change the model reads all messages anew.
    ///
    /// - Parameters:
    ///   - offer: how actions are offered.
    ///   - date: when the first of the messages that follow was written. Later messages tell how late it has become.
    /// - Returns: the prompt.
    func systemPrompt(_ offer: ActionOffer, at date: Date) async -> SystemPrompt
}
