// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAssistant
import ParleyJSON
import ParleyOpenAI
import ParleyServer

/// The chats that are open, and the list of all.
@MainActor
final class ChatDesk {
    /// The most chats that stay open although nobody reads them.
    static let mostIdle = 8

    private let admitted: AdmittedModels
    private let history: ChatStore
    private let hub: EventHub
    private let clock: any Clock<Duration>
    private let dependencies: @MainActor (UUID?) -> ChatDependencies
    private var open: [UUID: OpenChat] = [:]
    private var opening: [UUID: Task<OpenChat, any Error>] = [:]
    private var listing: Task<Void, Never>?
    private var listed: JSONValue = .null

    init(
        _ admitted: AdmittedModels, history: ChatStore, hub: EventHub, clock: any Clock<Duration>,
        dependencies: @escaping @MainActor (UUID?) -> ChatDependencies
    ) {
        self.admitted = admitted
        (self.history, self.hub, self.clock, self.dependencies) = (history, hub, clock, dependencies)
    }

    /// The chats that are open.
    var chats: [OpenChat] { Array(open.values) }

    /// A chat; the one that was edited last, or a new one, if none is named.
    ///
    /// - Throws: ``/ParleyServer/ServerError`` if there is no such chat; an error of the store.
    func chat(_ id: UUID?) async throws -> OpenChat {
        guard let id else {
            if let last = try await history.summaries().max(by: { $0.changed < $1.changed }) {
                return try await chat(last.id)
            }
            return newChat()
        }
        if let known = open[id] {
            known.used = .now
            return known
        }
        if let known = opening[id] { return try await known.value }
        let task = Task {
            guard let kept = try await history.chat(id) else { throw Self.noSuchChat }
            let model = ChatViewModel(dependencies(id))
            await model.open(kept)
            if Task.isCancelled { throw Self.noSuchChat }
            return add(model)
        }
        opening[id] = task
        defer { if opening[id] == task { opening[id] = nil } }
        return try await task.value
    }

    private static let noSuchChat = ServerError(
        404, .notFound, "There is no such chat. It may have been deleted.")

    /// A new chat; one that is open and empty serves as well.
    func newChat() -> OpenChat {
        if let empty = open.values.first(where: { $0.model.messages.isEmpty && !$0.model.isGenerating }) {
            empty.used = .now
            return empty
        }
        return add(ChatViewModel(dependencies(nil)))
    }

    /// Begins a chat with all that was said in another one up to a message.
    ///
    /// - Returns: its id.
    /// - Throws: ``/ParleyServer/ServerError`` if there is no such chat or message; an error of the store.
    func branch(_ id: UUID, upTo message: UUID) async throws -> UUID {
        let kept = try await chat(id).model.chat
        guard kept[message]?.isDeleted == false else {
            throw ServerError(404, .notFound, "There is no such message any more.", param: "message")
        }
        var branch = kept.copy(upTo: message)
        if !kept.title.isEmpty { branch.rename(kept.title) }
        try await history.add([branch])
        list()
        return branch.id
    }

    private func add(_ model: ChatViewModel) -> OpenChat {
        let replays = Replays(admitted, hub: hub, chat: model.chatID, clock: clock)
        let chat = OpenChat(model, replays: replays)
        open[chat.id] = chat
        chat.publish(to: hub, clock: clock) { [weak self] in self?.list() }
        Task { await model.load() }
        tidy()
        return chat
    }

    /// Loads a model for the open chats that have none, since one has come.
    func loadModels() {
        for chat in open.values where !chat.model.isModelLoaded { Task { await chat.model.load() } }
    }

    /// Closes chats that nobody reads and that do nothing, the longest unused first.
    private func tidy() {
        let idle = open.values.filter { !$0.model.isGenerating && !hub.hasReaders($0.id) }
        guard idle.count > Self.mostIdle else { return }
        for chat in idle.sorted(by: { $0.used < $1.used }).prefix(idle.count - Self.mostIdle) { close(chat.id) }
    }

    /// Closes a chat, also one that is just being opened; a reply that is being generated is stopped.
    func close(_ id: UUID) {
        opening.removeValue(forKey: id)?.cancel()
        open.removeValue(forKey: id)?.close()
        hub.forget(id)
    }

    // MARK: The list

    /// The list of all chats, pinned ones first, then those edited last.
    ///
    /// - Throws: an error of the store.
    func rows() async throws -> JSONValue {
        let summaries = try await history.summaries()
        return .array(
            summaries.map { summary in
                [
                    "id": .string(summary.id.uuidString), "title": .string(summary.title),
                    "created": .number(summary.created.timeIntervalSince1970),
                    "changed": .number(summary.changed.timeIntervalSince1970), "is_pinned": .bool(summary.isPinned),
                    "messages": .integer(summary.messages),
                    "is_generating": .bool(open[summary.id]?.model.isGenerating == true),
                ]
            })
    }

    /// Tells the page the list if it is another one; several changes that follow each other closely are told at once.
    func list() {
        guard listing == nil else { return }
        listing = Task {
            try? await clock.sleep(for: .milliseconds(100))
            listing = nil
            guard let rows = try? await rows(), rows != listed else { return }
            listed = rows
            hub.publish([PageEvent(type: "chats.changed", data: ["chats": rows])])
        }
    }

    /// Deletes a chat, which can be restored for a day.
    ///
    /// - Throws: an error of the store.
    func delete(_ id: UUID) async throws {
        close(id)
        try await history.delete(id)
        // Another page may have asked for it meanwhile.
        close(id)
        hub.publish([PageEvent(type: "chat.removed", data: ["chat": .string(id.uuidString)])])
        list()
    }

    /// Brings a deleted chat back.
    ///
    /// - Throws: ``/ParleyServer/ServerError`` if it is not there any more; an error of the store.
    func restore(_ id: UUID) async throws {
        guard try await history.restore(id) != nil else {
            throw ServerError(404, .notFound, "The chat cannot be brought back any more.")
        }
        list()
    }

    /// What a search over all chats finds.
    ///
    /// - Throws: an error of the store.
    func search(_ words: String) async throws -> JSONValue {
        .array(
            try await history.search(words).map { hit in
                [
                    "chat": .string(hit.chat.uuidString), "title": .string(hit.title),
                    "message": hit.message.map { .string($0.uuidString) } ?? .null,
                    "date": .number(hit.date.timeIntervalSince1970), "snippet": .string(hit.snippet),
                ]
            })
    }

    /// A chat in a form of exchange.
    ///
    /// - Throws: ``/ParleyServer/ServerError`` if there is no such chat; an error of the store.
    func export(_ id: UUID, as format: Chat.ExportFormat) async throws -> String {
        try await chat(id).model.chat.export(format)
    }

    /// All chats, in the form that can be imported.
    ///
    /// - Throws: an error of the store.
    func exportAll() async throws -> Data { try await history.exportAll() }

    /// Deletes all chats, which can be restored for a day.
    ///
    /// - Returns: the chats.
    /// - Throws: an error of the store.
    func deleteAll() async throws -> [UUID] {
        for id in Array(open.keys) { close(id) }
        let ids = try await history.deleteAll()
        for id in ids { close(id) }
        hub.publish(ids.map { PageEvent(type: "chat.removed", data: ["chat": .string($0.uuidString)]) })
        list()
        return ids
    }

    /// The chats that were deleted and can be brought back, those that were deleted last first, and how many more there
    /// are.
    func deleted() async -> JSONObject {
        let (deleted, more) = await history.deletedChats()
        let chats = deleted.map { chat -> JSONValue in
            [
                "id": .string(chat.summary.id.uuidString), "title": .string(chat.summary.title),
                "deleted": .number(chat.deleted.timeIntervalSince1970), "messages": .integer(chat.summary.messages),
            ]
        }
        return ["chats": .array(chats), "more": .integer(more)]
    }

    /// Brings deleted chats back, or all of them.
    ///
    /// - Throws: an error of the store.
    func restoreAll(_ ids: [UUID]?) async throws {
        if let ids { try await history.restoreAll(ids) } else { try await history.restoreAll() }
        list()
    }

    /// Removes deleted chats for good, or all of them.
    ///
    /// - Throws: an error of the store.
    func forgetDeleted(_ ids: [UUID]?) async throws { try await history.forgetDeleted(ids) }

    /// Adds the chats of a file. Those that it has brought before stay as they are.
    ///
    /// - Returns: the numbers of those that are new, and of those that were there.
    /// - Throws: an error of the store.
    func add(_ chats: [Chat]) async throws -> JSONObject {
        defer { list() }
        let before = Set(try await history.summaries().map(\.id))
        let saved = Set(try await history.add(chats).map(\.id))
        let known = saved.intersection(before).count
        return ["chats": .integer(saved.count - known), "known": .integer(known)]
    }
}
