// SPDX-License-Identifier: Apache-2.0

public import Foundation
import ParleyFiles
import ParleyJSON
import Synchronization

/// Chats in a folder, by default `sessions` in Parley's home.
///
/// Every chat is a file that is written as a whole. While a reply is generated, it grows in a journal beside the file,
/// at most every 100 ms, which is folded in when the folder is next used: after the end of the process at any moment,
/// every saved message is there, and all of a reply but its last 100 ms.
///
/// Several processes may use a folder. Who saves a chat that another one has saved meanwhile puts the messages of both
/// together. A chat that was deleted is not brought back by a later save.
///
/// What was deleted can be brought back for ``undoPeriod``. Then it is gone for good: chats with their files, and messages
/// when their chat is saved, or when the list of chats is read.
///
/// Files are read and written on a thread of the store's own, one operation after another.
public actor ChatStore {
    /// How long a deleted chat or message is kept.
    public static let undoPeriod: Duration = .seconds(86_400)

    private nonisolated let queue = WriterQueue()
    private nonisolated let pending = Mutex(PendingChats())
    private nonisolated let interval: Duration
    private let onNotice: @Sendable (ChatNotice) -> Void
    let folder: ChatFolder

    private var indexFile: ChatIndexFile
    /// The last used chats as they are on the disk.
    private var cache = ChatCache(limit: 16)
    /// The chats that this store has read or saved, and so knows to have had a file.
    private var known: Set<UUID> = []
    /// The journals of the replies that this process generates.
    private var journals = OpenJournals()
    private var hasEmptiedDeleted = false
    /// The chats of which it was told that they cannot be read.
    private var unreadable: Set<UUID> = []

    /// The thread of the store.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    /// Creates a store over a folder, which is made when it is first used.
    ///
    /// - Parameters:
    ///   - directory: the folder.
    ///   - caches: a folder in which models keep what they have computed of chats, a file for each, named by the chat's
    ///     id: such a file is removed with its chat. Nil if there is none.
    ///   - interval: how often a journal is written at most.
    ///   - patience: how long other processes that write are waited for.
    ///   - onNotice: is told what went on beside the results of the calls; it is called on the store's thread and must
    ///     not wait for the store.
    public init(
        directory: URL, caches: URL? = nil, interval: Duration = .milliseconds(100),
        patience: Duration = .seconds(20), onNotice: @escaping @Sendable (ChatNotice) -> Void = { _ in }
    ) {
        let url = URL(filePath: directory.path, directoryHint: .isDirectory)
        folder = ChatFolder(url: url, caches: caches, patience: patience)
        indexFile = ChatIndexFile(folder)
        (self.interval, self.onNotice) = (max(interval, .zero), onNotice)
    }

    // MARK: - Recording

    /// Saves a chat soon, in the order of the calls; ``flush()`` waits for it.
    public nonisolated func record(_ chat: Chat) { schedule(after: .zero) { $0.record(chat) } }

    /// Takes note of how far a reply has come, as often as there is something new.
    ///
    /// The chat was saved or recorded with the unfinished reply before, and is again when the reply is finished.
    public nonisolated func record(_ reply: ChatNode, in chat: UUID) {
        schedule(after: interval) { $0.record(reply, in: chat) }
    }

    private nonisolated func schedule(after delay: Duration, _ change: (inout PendingChats) -> Void) {
        let isNew = pending.withLock { pending in
            change(&pending)
            return pending.schedule(isForLater: delay > .zero)
        }
        guard isNew else { return }
        queue.run(after: delay) { self.assumeIsolated { $0.writePending() } }
    }

    /// Returns when everything recorded is on the disk, without suspending: for an app that goes to the background.
    public nonisolated func flush() {
        queue.wait { self.assumeIsolated { $0.writePending() } }
    }

    private func writePending() {
        let (chats, replies) = pending.withLock { $0.take() }
        for chat in chats {
            do {
                try write(chat)
            } catch {
                tell(error, about: chat.id)
            }
        }
        for reply in replies {
            do {
                try journals.append(reply.node, in: reply.chat)
            } catch {
                tell(error, about: reply.chat)
            }
        }
    }

    func tell(_ notice: ChatNotice) { onNotice(notice) }

    private func tell(_ error: AssistantError, about id: UUID) {
        onNotice(error.code == .itemNotFound ? .deletedElsewhere(id) : .notSaved(id, reason: error.message))
    }

    // MARK: - Chats

    /// All chats: pinned ones first, then the last edited. One that cannot be read now hides no other.
    ///
    /// - Throws: ``AssistantError``.
    public func summaries() throws -> [ChatSummary] {
        writePending()
        return try locked { () throws(AssistantError) in try refresh().summaries }
    }

    /// Whether a chat has been saved and not been deleted.
    public nonisolated func contains(_ id: UUID) -> Bool { (try? FileStamp(folder.file(id))) != nil }

    /// Whether a file of a chat was damaged and moved aside; it may be mended by hand.
    ///
    /// - Throws: ``AssistantError`` with code `storeUnavailable`.
    package nonisolated func isSetAside(_ id: UUID) throws(AssistantError) -> Bool { try folder.hasDamaged(id) }

    /// Whether a chat was deleted and can be brought back.
    public nonisolated func canRestore(_ id: UUID) -> Bool { (try? FileStamp(folder.deleted(id))) != nil }

    /// A chat; nil if there is none.
    ///
    /// What a process has left unfinished is ended, as ``Chat/repair()`` says.
    ///
    /// - Throws: ``AssistantError`` with code `invalidItem` for a damaged file, which is moved aside.
    public func chat(_ id: UUID) throws -> Chat? {
        writePending()
        return try locked { () throws(AssistantError) in
            var index = try refresh()
            guard var chat = try read(id) else { return nil }
            let live = try folder.list().journals.filter { $0.chat == id }.map(\.file)
            if live.isEmpty, !known.contains(id), chat.repair() {
                // Where it cannot be written, it is repaired anew each time it is read.
                guard putIfPossible(&chat, &index) else { return chat }
            }
            known.insert(id)
            for file in live where journals.file(of: id) != file {
                if let data = try folder.contents(file) { _ = ReplyJournal.fold(data, into: &chat) }
            }
            return chat
        }
    }

    /// Saves a chat and returns when it is on the disk.
    ///
    /// - Parameter chat: the chat; a value that is older than the last one takes nothing back.
    /// - Returns: the chat as it is on the disk: with the messages that another process has added meanwhile.
    /// - Throws: ``AssistantError`` with code `itemNotFound` if it was deleted meanwhile; `tooLarge`;
    ///   `storeUnavailable`; `invalidInput` if an image is neither JPEG nor PNG.
    @discardableResult
    public func save(_ chat: Chat) throws -> Chat {
        writePending()
        return try write(chat)
    }

    /// Deletes a chat; ``restore(_:)`` undoes it for ``undoPeriod``.
    ///
    /// - Throws: ``AssistantError``.
    public func delete(_ id: UUID) throws { try delete([id]) }

    /// Deletes all chats of the list; ``restoreAll(_:)`` undoes it for ``undoPeriod``.
    ///
    /// - Returns: the chats that were deleted.
    /// - Throws: ``AssistantError``; those before the one that could not be deleted stay deleted.
    public func deleteAll() throws -> [UUID] {
        let ids = try summaries().map(\.id)
        try delete(ids)
        return ids
    }

    private func delete(_ ids: [UUID]) throws(AssistantError) {
        // What was recorded before is part of what can be restored.
        writePending()
        try locked { () throws(AssistantError) in
            var index = try currentIndex()
            let live = Dictionary(grouping: try folder.list().journals) { $0.chat }
            var failure: AssistantError?
            for id in ids {
                if let files = live[id]?.map(\.file) { conclude(id, files, &index) }
                do throws(AssistantError) {
                    try folder.delete(id)
                } catch {
                    failure = error
                    break
                }
                journals.close(id)
                for journal in folder.journals(id) { folder.remove(journal) }
                folder.removeCache(id)
                cache.remove(id)
                index.entries[id] = nil
                index.deleted[id] = Date()
            }
            index.forgetOldest()
            try indexFile.write(index)
            if let failure { throw failure }
        }
    }

    /// Puts what replies have come to into a chat that is about to be deleted, and ends them: their journals go.
    private func conclude(_ id: UUID, _ live: [URL], _ index: inout ChatIndex) {
        // One that is damaged goes as it is.
        guard var chat = try? folder.chat(at: folder.file(id)) else { return }
        for file in live {
            if let data = try? folder.contents(file) { _ = ReplyJournal.fold(data, into: &chat) }
        }
        chat.repair()
        putIfPossible(&chat, &index)
    }

    /// Brings a deleted chat back.
    ///
    /// - Parameter id: the chat.
    /// - Returns: the chat; nil if it is not there any more.
    /// - Throws: ``AssistantError``.
    public func restore(_ id: UUID) throws -> Chat? {
        try restoreAll([id])
        return try chat(id)
    }

    /// Brings deleted chats back, as far as they can be.
    ///
    /// - Throws: ``AssistantError``.
    public func restoreAll(_ ids: [UUID]) throws {
        try locked { () throws(AssistantError) in
            for id in ids {
                let file = folder.deleted(id)
                if try FileStamp(file) != nil, try FileStamp(folder.file(id)) == nil {
                    try folder.move(file, to: folder.file(id))
                }
            }
            try refresh()
        }
    }

    // MARK: - Writing

    @discardableResult
    private func write(_ chat: Chat) throws(AssistantError) -> Chat {
        try locked { () throws(AssistantError) in
            var index = try currentIndex()
            var chat = chat
            let isThere = try FileStamp(folder.file(chat.id)) != nil
            let isOld = chat.generation > 0 || known.contains(chat.id)
            if !isThere, isOld || index.deleted[chat.id] != nil {
                journals.close(chat.id)
                throw AssistantError(.itemNotFound, "The chat was deleted.")
            }
            let cached = cache[chat.id]
            if isThere, let saved = try read(chat.id) {
                let isForeign = cached != nil && saved.generation != cached?.generation
                if let cached, cached.edits > chat.edits {
                    // A late value of this process: it adds what is missing and takes nothing back.
                    let late = chat
                    chat = cached
                    chat.merge(late)
                }
                chat.merge(saved)
                if isForeign { onNotice(.merged(chat.id)) }
                let isForgotten = saved.nodes.contains { $0.canBeRestored && chat[$0.id]?.isForgotten == true }
                if isForgotten { folder.removeCache(chat.id) }
                if chat == saved { return chat }
            }
            try put(&chat, &index)
            return chat
        }
    }

    /// Writes a chat and its entry in the list.
    private func put(_ chat: inout Chat, _ index: inout ChatIndex) throws(AssistantError) {
        guard chat.nodes.count <= Chat.limit else {
            throw AssistantError(.tooLarge, "The chat has more than \(Chat.limit) messages; begin another one.")
        }
        // What a model has computed of the chat may contain what is forgotten.
        if chat.forgetDeleted(before: Self.oldestDeletion) { folder.removeCache(chat.id) }
        // Another process may have brought it from its memory.
        chat.forgetTitle()
        chat.generation += 1
        let file = folder.file(chat.id)
        // Before the chat, so that no other process takes its unfinished reply for one that was left behind.
        if chat.isUnfinished { try journals.open(chat.id, in: folder) }
        try folder.write(chat.saved(), to: file)
        cache.keep(chat)
        known.insert(chat.id)
        if let stamp = try FileStamp(file) { index.entries[chat.id] = Self.entry(of: chat, stamp) }
        index.deleted[chat.id] = nil
        // The chat is saved, whether or not the list, which can be made again, can be written.
        try? indexFile.write(index)
        if !chat.isUnfinished, let journal = journals.close(chat.id) { folder.remove(journal) }
    }

    /// Writes what was only brought up to date. Where that cannot be, such as on a full disk, it is done another time:
    /// what is there can be read all the same.
    @discardableResult
    private func putIfPossible(_ chat: inout Chat, _ index: inout ChatIndex) -> Bool {
        var (written, list) = (chat, index)
        do {
            try put(&written, &list)
        } catch {
            return false
        }
        (chat, index) = (written, list)
        return true
    }

    // MARK: - Reading

    /// The chat as it is on the disk; nil if it is not there.
    private func read(_ id: UUID) throws(AssistantError) -> Chat? {
        if let cached = cache[id], folder.generation(id) == cached.generation { return cached }
        let file = folder.file(id)
        let chat: Chat?
        do {
            chat = try folder.chat(at: file)
        } catch {
            if error.code == .invalidItem { moveAside(file) }
            throw error
        }
        guard let chat else { return nil }
        guard chat.id == id else {
            moveAside(file)
            throw Chat.damaged("it has the id of another one")
        }
        cache.keep(chat)
        return chat
    }

    private func moveAside(_ file: URL) {
        if let kept = try? folder.move(file, aside: "damaged") {
            onNotice(.damaged(file: file.path, keptAs: kept.path))
        }
    }

    private func currentIndex() throws(AssistantError) -> ChatIndex {
        if let index = try savedIndex() { return index }
        return try refresh()
    }

    /// The list as it is on the disk; nil if it is not there, or damaged.
    private func savedIndex() throws(AssistantError) -> ChatIndex? {
        switch try indexFile.read() {
        case .index(let index): return index
        case .none: return nil
        case .damaged:
            moveAside(folder.index)
            return nil
        }
    }

    /// Brings the list up to date with the files, and folds in the journals of processes that have ended.
    @discardableResult
    private func refresh() throws(AssistantError) -> ChatIndex {
        let before = try savedIndex()
        var index = before ?? ChatIndex()
        let (chats, journals) = try folder.list()
        if before == nil, !chats.isEmpty { onNotice(.indexRebuilt) }
        for id in index.entries.keys where !chats.contains(id) { index.entries[id] = nil }
        for id in chats {
            index.deleted[id] = nil
            do {
                guard let stamp = try FileStamp(folder.file(id)), index.entries[id]?.stamp != stamp,
                    let chat = try read(id)
                else { continue }
                index.entries[id] = Self.entry(of: chat, stamp)
            } catch {
                leaveOut(id, error, &index)
            }
        }
        // It can be made again, so that what can be read does not depend on whether it can be written.
        if index != before { try? indexFile.write(index) }
        for journal in journals { foldIn(journal.file, of: journal.chat, &index) }
        for (id, entry) in index.entries where entry.firstDeletion.map({ $0 < Self.oldestDeletion }) == true {
            // One whose reply is being generated is saved at its end.
            guard var chat = try? read(id), !chat.isUnfinished else { continue }
            putIfPossible(&chat, &index)
        }
        if !hasEmptiedDeleted {
            folder.emptyDeleted(after: Self.undoPeriod)
            folder.removeCaches(except: chats)
        }
        hasEmptiedDeleted = true
        return index
    }

    /// Takes a chat that is damaged, or of a later Parley, out of the list; one that cannot be read now keeps its place.
    private func leaveOut(_ id: UUID, _ error: AssistantError, _ index: inout ChatIndex) {
        if error.code == .invalidItem || error.code == .refused { index.entries[id] = nil }
        // A damaged file was told when it was moved aside.
        guard error.code != .invalidItem, unreadable.insert(id).inserted else { return }
        onNotice(.unreadable(id, reason: error.message))
    }

    private static func entry(of chat: Chat, _ stamp: FileStamp) -> ChatIndex.Entry {
        ChatIndex.Entry(summary: ChatSummary(chat), stamp: stamp, firstDeletion: chat.firstDeletion)
    }

    /// What was deleted before is forgotten.
    static var oldestDeletion: Date { Date(timeIntervalSinceNow: -(undoPeriod / .seconds(1))) }

    /// Puts what a process has left of a reply into its chat. Where that cannot be, such as on a full disk, the journal
    /// stays for another time.
    private func foldIn(_ file: URL, of id: UUID, _ index: inout ChatIndex) {
        guard journals.file(of: id) != file else { return }
        do {
            // A journal that is locked belongs to a process that is generating the reply.
            guard let journal = try JournalFile(file, creating: false) else { return }
            defer { withExtendedLifetime(journal) {} }
            let data = try folder.contents(file) ?? Data()
            guard !data.isEmpty else { return folder.remove(file) }
            guard var chat = try read(id) else { return moveAside(file) }
            let isWhole = ReplyJournal.fold(data, into: &chat)
            if isWhole, journals.file(of: id) == nil, try folder.list().journals.filter({ $0.chat == id }).count == 1 {
                chat.repair()
            }
            if try read(id) != chat { try put(&chat, &index) }
            if isWhole { folder.remove(file) } else { moveAside(file) }
        } catch {
            // If the chat is damaged, it is moved aside, and so is its journal.
            if (error as? AssistantError)?.code == .invalidItem { moveAside(file) }
        }
    }

    func locked<Result>(_ body: () throws(AssistantError) -> Result) throws(AssistantError) -> Result {
        let lock = try folder.lock()
        defer { withExtendedLifetime(lock) {} }
        return try body()
    }
}
