// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
public import ParleyConversation
import ParleyJSON

/// A message of a chat, as a screen shows it.
public struct ChatItem: Hashable, Identifiable, Sendable {
    /// Who has written a message.
    public enum Author: String, Hashable, Sendable, Codable, CaseIterable { case user, assistant }

    /// Why a reply is not what the model would have written by itself.
    public enum Ending: String, Hashable, Sendable, Codable, CaseIterable {
        /// The user stopped it.
        case stopped
        /// It took longer than the deadline.
        case timedOut = "timed_out"
        /// It reached the limit of tokens.
        case length
        /// The context of the model is full.
        case contextFull = "context_full"
        /// The model could not continue a block as its schema requires.
        case constraint
        /// The model reasoned and gave no answer; the text is its reasoning.
        case onlyReasoned = "only_reasoned"
        /// A web search was interrupted.
        case searchInterrupted = "search_interrupted"
    }

    /// Which message it is.
    public let id: UUID
    /// Who has written it.
    public var author: Author
    /// When it was begun.
    public var date: Date
    /// The text to show, without blocks.
    public var text = ""
    /// The reasoning before the answer.
    public var thinking = ""
    /// Whether the model is reasoning at the moment.
    public var isThinking = false
    /// Whether more text is to come.
    public var isStreaming = false
    /// What the user attached.
    public var attachments: [ChatAttachment] = []
    /// The message that this one replies to, if the user chose one.
    public var replyingTo: ChatItem.ID?
    /// The actions that the reply proposed, in the order in which they were written.
    public var cards: [ActionCard] = []
    /// The results of a web search from which the reply was written.
    public var sources: [WebResult] = []
    /// Why the reply is not complete; nil if the model ended it.
    public var ending: Ending?
    /// Why there is no reply, for the user; such a message is no part of what the model reads later.
    public var failure: String?
    /// The reply as the model wrote it, blocks included, for later prompts.
    public var written = ""
    /// The functions that the model called.
    public var calls: [FunctionCall] = []
    /// Whether the model read text of others than the user before it wrote this, or nobody knows who wrote it.
    public var isUntrusted = false

    /// How far a reply is of which nothing is written yet, as far as its model tells.
    public var progress: GenerationProgress?
    /// How long the model has reasoned, in seconds; nil if it has not, and before the end.
    public var thinkingSeconds: Double?
    /// Whether the model went on with the reply after it had been cut off.
    public var isContinued = false
    /// The ids of all versions of the message, itself included, in the order in which they were written; empty if it is
    /// the only one.
    public var versions: [ChatItem.ID] = []
    /// What the reply was made of; nil if that is not known.
    public var receipt: ReplyReceipt?

    /// Creates a message.
    public init(id: UUID = UUID(), author: Author, date: Date, text: String = "") {
        (self.id, self.author, self.date, self.text) = (id, author, date, text)
    }

    /// Whether the message shows nothing.
    var isBlank: Bool {
        text.isEmpty && thinking.isEmpty && cards.isEmpty && sources.isEmpty && failure == nil
    }
}

/// Something that the user attached to a message.
public enum ChatAttachment: Hashable, Sendable {
    /// An image: the bytes of a JPEG or PNG file.
    case image(Data)
    /// A document, whose text the model reads.
    case document(URL)
}

extension ChatItem {
    /// The message as the tree keeps it.
    var message: ChatMessage {
        let images = attachments.compactMap { attachment -> ChatMessageContent? in
            if case .image(let data) = attachment { .image(data) } else { nil }
        }
        let words = author == .assistant && !written.isEmpty ? written : text
        return ChatMessage(
            role: author == .user ? .user : .assistant, content: images + [.text(words)],
            reasoningContent: thinking.isEmpty ? nil : thinking, functionCalls: calls.isEmpty ? nil : calls, id: id,
            date: date)
    }

    /// Puts the message into its place in the tree.
    func write(to node: inout ChatNode, isSearching: Bool = false) {
        node.message = message
        node.notice = failure
        node.cards = [Extras(self).json] + cards.compactMap(JSONValue.init)
        node.hasRunActions = !cards.isEmpty
        node.state =
            if failure != nil {
                .failed
            } else if isSearching {
                .searching
            } else if isStreaming {
                node.message.isEmpty ? .waiting : .streaming
            } else {
                switch ending {
                case .stopped: .stopped
                case .timedOut: .timedOut
                default: .complete
                }
            }
    }

    /// Reads a message as the tree keeps it.
    package init(_ node: ChatNode) {
        self.init(
            id: node.id, author: node.message.role == .user ? .user : .assistant, date: node.message.date,
            text: node.message.text)
        thinking = node.message.reasoningContent ?? ""
        calls = node.message.functionCalls ?? []
        receipt = node.receipt
        attachments = node.message.content.compactMap { if case .image(let data) = $0 { .image(data) } else { nil } }
        for value in node.cards {
            if let card: ActionCard = value.decoded() {
                cards.append(card)
            } else if let extras: Extras = value.decoded() {
                extras.write(to: &self)
            }
        }
        if author == .assistant {
            written = text
            text = ActionBlockScanner.text(of: written).withoutGapAtStart.trimmingTrailingWhitespace
        }
        switch node.state {
        case .failed: failure = node.notice ?? "There is no reply."
        case .stopped, .interrupted: ending = .stopped
        case .timedOut: ending = .timedOut
        case .searching: ending = .searchInterrupted
        case .waiting, .streaming, .complete: break
        }
    }

    /// What the tree has no place of its own for.
    private struct Extras: Codable {
        var documents: [URL]
        var replyingTo: UUID?
        var sources: [WebResult]
        var ending: Ending?
        var isUntrusted: Bool
        // An earlier Parley did not write these.
        var thinkingSeconds: Double?
        var isContinued: Bool?

        init(_ item: ChatItem) {
            documents = item.attachments.compactMap { if case .document(let url) = $0 { url } else { nil } }
            (replyingTo, sources, ending, isUntrusted) = (item.replyingTo, item.sources, item.ending, item.isUntrusted)
            (thinkingSeconds, isContinued) = (item.thinkingSeconds, item.isContinued ? true : nil)
        }

        var json: JSONValue { JSONValue(self) ?? .null }

        func write(to item: inout ChatItem) {
            item.attachments += documents.map(ChatAttachment.document)
            (item.replyingTo, item.sources, item.ending) = (replyingTo, sources, ending)
            item.isUntrusted = isUntrusted
            (item.thinkingSeconds, item.isContinued) = (thinkingSeconds, isContinued ?? false)
        }
    }
}

extension JSONValue {
    /// A value in its JSON form; nil if it has none.
    fileprivate init?(_ value: some Encodable) {
        guard let data = try? JSONEncoder().encode(value) else { return nil }
        try? self.init(parsing: String(decoding: data, as: UTF8.self))
    }

    /// The value that this one is the JSON form of.
    fileprivate func decoded<Value: Decodable>() -> Value? {
        try? JSONDecoder().decode(Value.self, from: Data(text().utf8))
    }
}
