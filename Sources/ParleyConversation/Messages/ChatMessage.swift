// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// One message of a conversation.
///
/// ```swift
/// let question = ChatMessage(role: .user, content: [.text("What is the capital of France?")])
/// let same = ChatMessage.user("What is the capital of France?")
/// ```
///
/// Two messages are equal where their contents are: ``id`` and ``date`` are not compared.
///
/// As `Codable` a message has the form of OpenAI's chat completions, with three more members: `id`, `created` (seconds
/// since 1970) and `raw_output`.
public struct ChatMessage: Hashable, Identifiable, Sendable {
    /// The message's identity, which stays the same when the message is edited, saved and read back.
    public let id: UUID
    /// When it was made.
    public var date: Date
    /// The author of the message.
    public var role: ChatMessageRole
    /// The content, in parts; empty for a reply that only calls functions.
    public var content: [ChatMessageContent]
    /// The model's reasoning before its answer, without the tags; nil where there was none.
    public var reasoningContent: String?
    /// The functions that the model called, in order; nil where it called none.
    public var functionCalls: [FunctionCall]?
    /// For the result of a function: the `id` of the call that it answers.
    public var functionCallID: String?
    /// For the result of a function: its name. Otherwise the speaker's, where several share a role.
    public var name: String?
    /// For a reply: the text exactly as the model wrote it, tags included, where it differs from the text of `content`.
    ///
    /// Later prompts contain it, so that they begin with the same tokens that the model has seen. Exports leave it out.
    public var rawOutput: String?

    /// Creates a message.
    public init(
        role: ChatMessageRole, content: [ChatMessageContent], reasoningContent: String? = nil,
        functionCalls: [FunctionCall]? = nil, functionCallID: String? = nil, name: String? = nil,
        rawOutput: String? = nil, id: UUID = UUID(), date: Date = Date()
    ) {
        self.id = id
        self.date = date
        self.role = role
        self.content = content
        self.reasoningContent = reasoningContent
        self.functionCalls = functionCalls
        self.functionCallID = functionCallID
        self.name = name
        self.rawOutput = rawOutput
    }
    /// Whether two messages have the same content.
    public static func == (one: ChatMessage, other: ChatMessage) -> Bool {
        one.role == other.role && one.content == other.content && one.reasoningContent == other.reasoningContent
            && one.functionCalls == other.functionCalls && one.functionCallID == other.functionCallID
            && one.name == other.name && one.rawOutput == other.rawOutput
    }

    /// Hashes the content.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(role)
        hasher.combine(content)
        hasher.combine(functionCalls)
    }
}
