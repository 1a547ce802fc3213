// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
import ParleyConversation
import ParleyFiles
public import ParleyJSON

extension ChatViewState {
    /// A message; the members are those of ``ChatItem``.
    public struct Message: Hashable, Sendable, Codable, Identifiable {
        /// Which message it is.
        public var id: UUID
        /// Who has written it.
        public var author: ChatItem.Author
        /// Seconds since 1970.
        public var date: Double
        /// The text to show.
        public var text: String
        /// The reasoning before the answer.
        public var thinking: String
        /// Whether the model is reasoning.
        public var isThinking: Bool
        /// Whether more text is to come.
        public var isStreaming: Bool
        /// How far it has come.
        public var state: ChatItem.State
        /// The place in the queue, counted from 1; nil unless it is queued.
        public var place: Int?
        /// The part of the prompt that has been read, from 0 to 1; nil unless the model is reading.
        public var fraction: Double?
        /// How long the model has reasoned, in seconds; nil for no reasoning, and before its end.
        public var thinkingSeconds: Double?
        /// What was attached to it.
        public var attachments: [Attachment]
        /// The message that is replied to; nil for none.
        public var replyingTo: UUID?
        /// The cards of its actions, in order.
        public var cards: [Card]
        /// The pages from which it was written.
        public var sources: [Source]
        /// Why it is not complete; nil if the model ended it.
        public var ending: ChatItem.Ending?
        /// Why there is no reply; nil if there is one.
        public var failure: String?
        /// Whether the model read text of others before it.
        public var isUntrusted: Bool
        /// Whether the model can go on with it.
        public var canBeContinued: Bool
        /// All versions of it.
        public var versions: Versions
        /// What the reply was made of; nil if that is not known.
        public var receipt: Receipt?

        enum CodingKeys: String, CodingKey {
            case id, author, date, text, thinking, state, place, fraction, attachments, cards, sources, ending, failure
            case versions, receipt
            case isThinking = "is_thinking"
            case isStreaming = "is_streaming"
            case thinkingSeconds = "thinking_seconds"
            case replyingTo = "replying_to"
            case isUntrusted = "is_untrusted"
            case canBeContinued = "can_be_continued"
        }
    }

    /// Something that was attached to a message.
    public struct Attachment: Hashable, Sendable, Codable {
        /// What an attachment is.
        public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
            /// An image, which the message has.
            case image
            /// A document, which lies where it was.
            case document
        }

        /// What it is.
        public var kind: Kind
        /// The name of a document; `image` for an image, which has none.
        public var name: String
        /// The bytes of an image; nil for a document.
        public var size: Int?
        /// The SHA-256 of an image, in hexadecimal digits; nil for a document.
        public var digest: String?
        /// Where a document is: a path, or an address of the web; nil for an image.
        public var place: String?

        /// Describes an attachment.
        public init(_ attachment: ChatAttachment) {
            name = attachment.label
            switch attachment {
            case .image(let content):
                (kind, size, digest) = (.image, content.count, SHA256Hash.hexadecimal(of: content))
            case .document(let url):
                (kind, place) = (.document, url.isFileURL ? url.path : url.absoluteString)
            }
        }
    }

    /// Which version of a message is shown.
    public struct Versions: Hashable, Sendable, Codable {
        /// The place of the one that is shown, counted from 0.
        public var index: Int
        /// How many there are.
        public var count: Int
        /// The ids of all, in the order in which they were written.
        public var ids: [UUID]
    }

    /// What a reply was made of, in numbers.
    public struct Receipt: Hashable, Sendable, Codable {
        /// The name of the model.
        public var model: String
        /// Why the reply ended, as ``/ParleyConversation/FinishReason`` names it; nil if that is not known.
        public var ended: String?
        /// The number of tokens of the prompt.
        public var promptTokens: Int
        /// How many of them were in the model's cache.
        public var cachedTokens: Int
        /// How many generated tokens are reasoning.
        public var reasoningTokens: Int
        /// The number of generated tokens.
        public var completionTokens: Int
        /// The number of turns that were left out of the prompt.
        public var droppedTurns: Int
        /// The seed, as text, because it has 64 bits; nil if it is not known.
        public var seed: String?
        /// Whether enough was kept to generate the reply again.
        public var canBeReplayed: Bool
        /// Generated tokens per second; nil if that is not known.
        public var tokensPerSecond: Double?
        /// The seconds until the first token; nil if that is not known.
        public var firstTokenSeconds: Double?

        enum CodingKeys: String, CodingKey {
            case model, ended, seed
            case promptTokens = "prompt_tokens"
            case cachedTokens = "cached_tokens"
            case reasoningTokens = "reasoning_tokens"
            case completionTokens = "completion_tokens"
            case droppedTurns = "dropped_turns"
            case canBeReplayed = "can_be_replayed"
            case tokensPerSecond = "tokens_per_second"
            case firstTokenSeconds = "first_token_seconds"
        }

        init(_ receipt: ReplyReceipt) {
            (model, ended) = (receipt.model, receipt.finishReason?.rawValue)
            (promptTokens, cachedTokens) = (receipt.promptTokenCount, receipt.cachedPromptTokens)
            (reasoningTokens, completionTokens) = (receipt.reasoningTokens, receipt.completionTokens)
            (droppedTurns, seed) = (receipt.droppedTurns, receipt.sampling.seed.map { String($0) })
            canBeReplayed = receipt.options != nil
            (tokensPerSecond, firstTokenSeconds) = (receipt.tokensPerSecond, receipt.firstTokenSeconds)
        }
    }

    /// A card; its JSON form is that of ``ActionCard/json(in:)``.
    public struct Card: Hashable, Sendable, Codable {
        /// The object.
        public var value: JSONValue

        init(_ value: JSONValue) { self.value = value }

        /// Reads a card.
        ///
        /// - Throws: `DecodingError`.
        public init(from decoder: any Decoder) throws { value = try JSONTree(from: decoder).value }

        /// Writes the card.
        ///
        /// - Throws: `EncodingError`.
        public func encode(to encoder: any Encoder) throws { try JSONTree(value).encode(to: encoder) }
    }

    /// A page from which a reply was written.
    public struct Source: Hashable, Sendable, Codable {
        /// The title.
        public var title: String
        /// The address of the page.
        public var url: String
        /// A piece of the page.
        public var snippet: String
    }
}

extension ChatViewState.Message {
    init(_ item: ChatItem, _ context: DateContext) {
        var place: Int?
        if item.state == .queued, case .queued(let number) = item.progress { place = number }
        let ids = item.versions.isEmpty ? [item.id] : item.versions
        self.init(
            id: item.id, author: item.author, date: item.date.timeIntervalSince1970, text: item.text,
            thinking: item.thinking, isThinking: item.isThinking, isStreaming: item.isStreaming, state: item.state,
            place: place, fraction: item.state == .reading ? item.progress?.fraction : nil,
            thinkingSeconds: item.thinkingSeconds, attachments: item.attachments.map(ChatViewState.Attachment.init),
            replyingTo: item.replyingTo, cards: item.cards.map { ChatViewState.Card($0.json(in: context)) },
            sources: item.sources.map {
                ChatViewState.Source(title: $0.title, url: $0.url.absoluteString, snippet: $0.snippet)
            }, ending: item.ending, failure: item.failure, isUntrusted: item.isUntrusted && item.author == .assistant,
            canBeContinued: item.canBeContinued,
            versions: ChatViewState.Versions(
                index: ids.firstIndex(of: item.id) ?? 0, count: ids.count, ids: ids),
            receipt: item.receipt.map(ChatViewState.Receipt.init))
    }
}
