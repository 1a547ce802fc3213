// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyConversation
package import ParleyJSON
import ParleyOpenAI

/// The form of chats in files and exports.
extension Chat {
    /// The version of the form; a file with a higher one was written by a later Parley.
    static let version = 1

    /// The chat as JSON.
    ///
    /// - Throws: ``AssistantError`` with code `invalidInput` if an image is neither JPEG nor PNG.
    package func saved() throws(AssistantError) -> JSONValue {
        var members: JSONObject = [
            "parley_chat": .integer(Self.version), "id": .string(id.uuidString), "generation": .integer(generation),
            "title": .string(title), "created": Self.saved(created), "changed": Self.saved(changed),
        ]
        if hasOwnTitle { members["own_title"] = true }
        if isPinned { members["pinned"] = true }
        members["model"] = model.map { .string($0) }
        if let current { members["current"] = .string(current.uuidString) }
        members["edits"] = .integer(edits)
        var list: [JSONValue] = []
        list.reserveCapacity(nodes.count)
        var rules: [ReplyRule] = []
        func place(of rule: ReplyRule) -> Int {
            let place = rules.firstIndex(of: rule) ?? rules.count
            if place == rules.count { rules.append(rule) }
            return place
        }
        for node in nodes { list.append(try node.saved(place)) }
        members["messages"] = .array(list)
        if !rules.isEmpty { members["rules"] = .array(rules.map(\.saved)) }
        return .object(members)
    }

    /// Reads a chat that ``saved()`` has written.
    ///
    /// - Throws: ``AssistantError`` with code `invalidItem`, or `refused` if a later Parley has written it.
    package init(saved value: JSONValue) throws(AssistantError) {
        guard let version = value["parley_chat"]?.integer, version > 0 else { throw Self.damaged("it is no chat") }
        guard version <= Self.version else {
            throw AssistantError(.refused, "A later version of Parley has written the chat; use that version.")
        }
        guard let id = value["id"]?.string.flatMap(UUID.init(uuidString:)) else { throw Self.damaged("it has no id") }
        guard let list = value["messages"]?.array else { throw Self.damaged("it has no messages") }
        guard list.count <= Self.limit else { throw Self.damaged("it has more than \(Self.limit) messages") }
        let created = Self.date(value["created"]) ?? Date(timeIntervalSince1970: 0)
        self.init(
            id: id, title: String((value["title"]?.string ?? "").prefix(Self.longestTitle)),
            hasOwnTitle: value["own_title"]?.bool ?? false, created: created,
            changed: max(created, Self.date(value["changed"]) ?? created))
        isPinned = value["pinned"]?.bool ?? false
        model = value["model"]?.string.flatMap { $0.utf8.count <= 1_024 ? $0 : nil }
        generation = Self.count(value["generation"])
        edits = Self.count(value["edits"])
        let rules = (value["rules"]?.array ?? []).map(ReplyRule.init(saved:))
        for saved in list {
            var node = try ChatNode(saved: saved, rules)
            guard self[node.id] == nil else { throw Self.damaged("two messages have one id") }
            // A message whose parent is missing begins a branch, so that the tree has no circle.
            if let parent = node.parent, self[parent] == nil { node = node.withoutParent }
            insert(node)
        }
        current = value["current"]?.string.flatMap(UUID.init(uuidString:)).flatMap { self[$0]?.id } ?? nodes.last?.id
    }

    static func damaged(_ what: String) -> AssistantError {
        AssistantError(.invalidItem, "The chat cannot be read: \(what).")
    }

    static func saved(_ date: Date) -> JSONValue {
        .number((date.timeIntervalSince1970 * 1_000).rounded() / 1_000)
    }

    /// A date of a file; nil if it is missing or no date of these millennia.
    static func date(_ value: JSONValue?) -> Date? {
        guard let seconds = value?.number, abs(seconds) < 1e11 else { return nil }
        return rounded(Date(timeIntervalSince1970: seconds))
    }

    /// A count of a file, small enough to be counted on.
    static func count(_ value: JSONValue?) -> Int {
        min(max(value?.integer ?? 0, 0), 1 << 52)
    }
}

extension ChatNode {
    /// The message as JSON: the form of OpenAI's chat completions, and what became of it as `parley`.
    ///
    /// - Parameter place: the number of a rule among those of the chat.
    /// - Returns: an object.
    /// - Throws: ``AssistantError`` with code `invalidInput` if an image is neither JPEG nor PNG.
    fileprivate func saved(_ place: (ReplyRule) -> Int) throws(AssistantError) -> JSONValue {
        var value: JSONValue
        do {
            value = try message.saved()
        } catch {
            throw AssistantError(.invalidInput, "A message cannot be saved: \(error.message)", cause: error)
        }
        var state: JSONObject = ["state": .string(self.state.rawValue), "revision": .integer(revision)]
        if let parent { state["parent"] = .string(parent.uuidString) }
        if let notice { state["notice"] = .string(notice) }
        if !cards.isEmpty { state["cards"] = .array(cards) }
        if hasRunActions { state["has_run_actions"] = true }
        if isDeleted { state["deleted"] = true }
        if let deletionDate { state["deleted_at"] = Chat.saved(deletionDate) }
        func saved(_ receipt: ReplyReceipt) -> JSONValue {
            var saved = receipt.saved
            if let rule = receipt.rule { saved["rule"] = .integer(place(rule)) }
            return saved
        }
        state["receipt"] = receipt.map(saved)
        if !earlierReceipts.isEmpty { state["earlier_receipts"] = .array(earlierReceipts.map(saved)) }
        value["parley"] = .object(state)
        return value
    }

    /// Reads a message that ``saved(_:)`` has written.
    ///
    /// - Parameters:
    ///   - value: the object.
    ///   - rules: those of the chat.
    /// - Throws: ``AssistantError`` with code `invalidItem`.
    fileprivate init(saved value: JSONValue, _ rules: [ReplyRule?]) throws(AssistantError) {
        let message: ChatMessage
        do {
            message = try ChatMessage(saved: value)
        } catch {
            throw AssistantError(.invalidItem, "The chat cannot be read: \(error.message)", cause: error)
        }
        // Without an id of its own, the message would be another one every time it is read.
        guard value["id"]?.string.flatMap(UUID.init(uuidString:)) != nil else {
            throw Chat.damaged("a message has no id")
        }
        let state = value["parley"] ?? .null
        self.init(
            message, parent: state["parent"]?.string.flatMap(UUID.init(uuidString:)),
            state: state["state"]?.string.flatMap(State.init(rawValue:)) ?? .complete)
        notice = state["notice"]?.string
        cards = state["cards"]?.array ?? []
        hasRunActions = state["has_run_actions"]?.bool ?? false
        isDeleted = state["deleted"]?.bool ?? false
        deletionDate = isDeleted ? Chat.date(state["deleted_at"]) : nil
        func receipt(_ saved: JSONValue?) -> ReplyReceipt? {
            var receipt = ReplyReceipt(saved: saved)
            if let place = saved?["rule"]?.integer, rules.indices.contains(place) { receipt?.rule = rules[place] }
            return receipt
        }
        self.receipt = receipt(state["receipt"])
        earlierReceipts = (state["earlier_receipts"]?.array ?? []).prefix(Self.mostReceipts).compactMap(receipt)
        revision = Chat.count(state["revision"])
    }

    /// The message as the first of a branch.
    fileprivate var withoutParent: ChatNode {
        var node = ChatNode(message, parent: nil, state: state)
        (node.notice, node.cards, node.hasRunActions) = (notice, cards, hasRunActions)
        (node.isDeleted, node.deletionDate, node.revision) = (isDeleted, deletionDate, revision)
        (node.receipt, node.earlierReceipts) = (receipt, earlierReceipts)
        return node
    }
}
