// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What a chat shows, as one value with a JSON form in snake case, for pages and other programs.
public struct ChatViewState: Hashable, Sendable, Codable {
    /// The chat that is shown.
    public var chatID: UUID
    /// The messages, oldest first.
    public var messages: [Message]
    /// Everything but the messages.
    public var status: Status

    /// Everything that a chat shows but its messages; the members are those of ``ChatViewModel``.
    public struct Status: Hashable, Sendable, Codable {
        /// The title.
        public var title: String
        /// The text in the input field.
        public var inputText: String
        /// Whether the chat is shown before the others.
        public var isPinned: Bool
        /// The name of the chat's model; nil if none was chosen and none is in memory.
        public var model: String?
        /// The message that is sent as soon as the turn has ended; nil for none.
        public var queued: String?
        /// Whether a turn is in progress.
        public var isGenerating: Bool
        /// Whether the turn is before its first token.
        public var isPreparing: Bool
        /// Whether a model is in memory.
        public var isModelLoaded: Bool
        /// Whether a model is being loaded.
        public var isModelLoading: Bool
        /// Whether speech is being recorded or transcribed.
        public var isRecording: Bool
        /// Whether speech is being transcribed.
        public var isTranscribing: Bool
        /// Whether the coordinator of hands-free use is listening.
        public var isAutoListening: Bool
        /// Whether the model may reason.
        public var thinkingEnabled: Bool
        /// The message that is replied to; nil for none.
        public var replyingTo: UUID?
        /// The error that is shown; nil for none.
        public var errorMessage: String?
        /// The remark that is shown; nil for none.
        public var toast: String?
        /// All notices so far, oldest first.
        public var notices: [ScreenNotice]
        /// Prompts for an empty chat.
        public var suggestedPrompts: [String]
        /// The pinned prompts.
        public var pinnedPrompts: [String]
        /// The words that are searched.
        public var searchText: String
        /// The messages that contain the words that are searched.
        public var searchResults: [UUID]

        enum CodingKeys: String, CodingKey {
            case title, model, queued, toast, notices
            case isPinned = "is_pinned"
            case inputText = "input_text"
            case isGenerating = "is_generating"
            case isPreparing = "is_preparing"
            case isModelLoaded = "is_model_loaded"
            case isModelLoading = "is_model_loading"
            case isRecording = "is_recording"
            case isTranscribing = "is_transcribing"
            case isAutoListening = "is_auto_listening"
            case thinkingEnabled = "thinking_enabled"
            case replyingTo = "replying_to"
            case errorMessage = "error_message"
            case suggestedPrompts = "suggested_prompts"
            case pinnedPrompts = "pinned_prompts"
            case searchText = "search_text"
            case searchResults = "search_results"
        }
    }

    enum CodingKeys: String, CodingKey {
        case messages, status
        case chatID = "chat_id"
    }

    /// The changes that lead from an earlier state to this one.
    public func changes(since earlier: ChatViewState) -> [ChatViewChange] {
        // Nearly always some messages have grown, and none is new or gone.
        guard chatID != earlier.chatID || !messages.elementsEqual(earlier.messages, by: { $0.id == $1.id }) else {
            let changes = zip(messages, earlier.messages).compactMap { $0.change(since: $1) }
            return changes + (status == earlier.status ? [] : [.status(status)])
        }
        let kept = Set(messages.map(\.id))
        let before = earlier.messages.filter { kept.contains($0.id) }
        // Messages are only ever appended and removed; after anything else the whole state is told.
        guard chatID == earlier.chatID, messages.prefix(before.count).map(\.id) == before.map(\.id) else {
            return [.state(self)]
        }
        var changes = earlier.messages.filter { !kept.contains($0.id) }.map { ChatViewChange.removed($0.id) }
        for (index, message) in messages.enumerated() {
            guard index < before.count else {
                changes.append(.message(message))
                continue
            }
            if let change = message.change(since: before[index]) { changes.append(change) }
        }
        if status != earlier.status { changes.append(.status(status)) }
        return changes
    }
}

extension ChatViewState.Message {
    /// The change that leads from an earlier state of the message; nil if it is the same.
    fileprivate func change(since earlier: Self) -> ChatViewChange? {
        if self == earlier { return nil }
        var grown = earlier
        (grown.text, grown.thinking) = (text, thinking)
        guard grown == self, text.hasPrefix(earlier.text), thinking.hasPrefix(earlier.thinking) else {
            return .message(self)
        }
        return .appended(
            id, text: String(text.dropFirst(earlier.text.count)),
            thinking: String(thinking.dropFirst(earlier.thinking.count)))
    }
}

/// A change of what a chat shows.
///
/// In JSON it is an object with the member `type` — `state`, `message`, `appended`, `removed` or `status` — and the
/// value: `state`, `message`, `status`, or `id` with `text` and `thinking`.
public enum ChatViewChange: Hashable, Sendable {
    /// The whole state: the first change of all, and when another chat is shown.
    case state(ChatViewState)
    /// A message that is new, at the end, or has changed.
    case message(ChatViewState.Message)
    /// More of the text or the reasoning of a message.
    case appended(UUID, text: String, thinking: String)
    /// A message is gone.
    case removed(UUID)
    /// Everything but the messages has changed.
    case status(ChatViewState.Status)
}

extension ChatViewChange: Codable {
    private enum Kind: String, Codable { case state, message, appended, removed, status }
    private enum CodingKeys: String, CodingKey { case type, state, message, id, text, thinking, status }

    /// Reads a change.
    ///
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        switch try values.decode(Kind.self, forKey: .type) {
        case .state: self = .state(try values.decode(ChatViewState.self, forKey: .state))
        case .message: self = .message(try values.decode(ChatViewState.Message.self, forKey: .message))
        case .appended:
            self = .appended(
                try values.decode(UUID.self, forKey: .id), text: try values.decode(String.self, forKey: .text),
                thinking: try values.decode(String.self, forKey: .thinking))
        case .removed: self = .removed(try values.decode(UUID.self, forKey: .id))
        case .status: self = .status(try values.decode(ChatViewState.Status.self, forKey: .status))
        }
    }

    /// Writes the change.
    ///
    /// - Throws: `EncodingError`.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .state(let state):
            try values.encode(Kind.state, forKey: .type)
            try values.encode(state, forKey: .state)
        case .message(let message):
            try values.encode(Kind.message, forKey: .type)
            try values.encode(message, forKey: .message)
        case .appended(let id, let text, let thinking):
            try values.encode(Kind.appended, forKey: .type)
            try values.encode(id, forKey: .id)
            try values.encode(text, forKey: .text)
            try values.encode(thinking, forKey: .thinking)
        case .removed(let id):
            try values.encode(Kind.removed, forKey: .type)
            try values.encode(id, forKey: .id)
        case .status(let status):
            try values.encode(Kind.status, forKey: .type)
            try values.encode(status, forKey: .status)
        }
    }
}
