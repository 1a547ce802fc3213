// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import ParleyConversation
public import ParleyJSON

/// One message of a chat in its tree, with what became of it.
public struct ChatNode: Identifiable, Hashable, Sendable {
    /// How far a message has come.
    public enum State: String, Hashable, Sendable, CaseIterable {
        /// A reply that has been asked for and of which nothing has come.
        case waiting
        /// A reply of which a part has come.
        case streaming
        /// A reply that waits for a web search.
        case searching
        /// The whole message.
        case complete
        /// A reply that ended with the program.
        case interrupted
        /// A reply that the user has ended.
        case stopped
        /// A reply that took too long.
        case timedOut
        /// A reply that ended with an error.
        case failed

        /// Whether more of the reply is expected.
        public var isUnfinished: Bool { self == .waiting || self == .streaming || self == .searching }
    }

    /// The message, whose id is that of the node.
    public var message: ChatMessage
    /// The message before it; nil for the first of a branch.
    public let parent: UUID?
    /// How far it has come.
    public var state: State
    /// What is shown below the message and never given to the model: an error, a notice.
    public var notice: String?
    /// The cards of the actions that it proposed, in their JSON form.
    public var cards: [JSONValue]
    /// Whether its action blocks have been taken up, so that they are neither stripped nor run again.
    public var hasRunActions: Bool
    /// For a reply: what it was made of.
    public var receipt: ReplyReceipt?
    /// For a reply that takes the place of others, as an answer takes that of the request to search the web: what those
    /// were made of, in order.
    public internal(set) var earlierReceipts: [ReplyReceipt] = []
    /// Whether the user has deleted it. The text stays until ``Chat/forgetDeleted(before:)``, so that it can be undone.
    public internal(set) var isDeleted: Bool
    /// When the user has deleted it; nil also where an earlier Parley did not write it down.
    public internal(set) var deletionDate: Date?
    /// How often it has been edited: of two copies, that with the higher number is the newer.
    public internal(set) var revision: Int

    /// The message's identity.
    public var id: UUID { message.id }

    /// Creates a node.
    public init(_ message: ChatMessage, parent: UUID?, state: State = .complete) {
        (self.message, self.parent, self.state) = (message, parent, state)
        (notice, cards, hasRunActions, receipt, isDeleted, revision) = (nil, [], false, nil, false, 0)
    }

    /// The largest number of earlier receipts that are kept.
    static let mostReceipts = 8

    /// Forgets everything but that it was there.
    mutating func forget() {
        message.content = []
        (message.reasoningContent, message.functionCalls) = (nil, nil)
        (message.rawOutput, notice, cards, receipt) = (nil, nil, [], nil)
        earlierReceipts = []
    }

    /// Makes room for the receipt of a reply that takes this one's place.
    mutating func setReceiptAside() {
        if let receipt { earlierReceipts = (earlierReceipts + [receipt]).suffix(Self.mostReceipts) }
        receipt = nil
    }

    /// Whether it was deleted and can be brought back.
    public var canBeRestored: Bool { isDeleted && !message.isEmpty }

    /// Whether it was deleted for good.
    var isForgotten: Bool { isDeleted && message.isEmpty }

    /// Whether the message has content that the model should read in later turns.
    var isHistory: Bool { !isDeleted && state != .failed && !state.isUnfinished && !message.isEmpty }

    /// Whether two nodes are the same, down to the ids and dates of their messages.
    public static func == (one: ChatNode, other: ChatNode) -> Bool {
        one.message == other.message && one.message.id == other.message.id && one.parent == other.parent
            && one.state == other.state && one.notice == other.notice && one.cards == other.cards
            && one.hasRunActions == other.hasRunActions && one.isDeleted == other.isDeleted
            && one.deletionDate == other.deletionDate
            && one.revision == other.revision && one.receipt == other.receipt
            && one.earlierReceipts == other.earlierReceipts
    }

    /// Hashes the identity and the revision.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(id)
        hasher.combine(revision)
    }
}
