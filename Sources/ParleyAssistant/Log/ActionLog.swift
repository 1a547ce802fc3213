// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
import ParleyFiles

/// The log of everything that the assistant writes, and the only way to write: what is about to be done is on the disk
/// before the store hears of it, and what became of it afterwards.
///
/// The file has one JSON object a line. If the process ends during a write, the next one that opens the log asks the
/// stores what became of it (``settle(in:)``); a last line that is not whole is removed. Several processes may have a log
/// open: they write one after another, and each first reads what the others have added. When the file has grown to half of
/// the largest size, it becomes the older of two, and the one before it is removed.
public actor ActionLog {
    /// The largest size of one entry, in bytes.
    public static let maxEntry = 32 << 20

    private let url: URL
    private let maxBytes: Int
    private let patience: Duration
    private var reader: ActionLogReader
    /// The lock, and the file to write to, while something is written.
    private var held: (lock: FileLock, file: AppendedFile)?
    /// How many transactions there are, one within another or side by side.
    private var transactions = 0
    private var contents = ActionLogEntries()
    private var writing: Set<Int> = []

    /// Opens a log, which is created if it does not exist.
    ///
    /// - Parameters:
    ///   - url: the file, such as `PARLEY_HOME/actions.jsonl`; its directory must exist. A file of the same name with
    ///     the ending `.old` holds the older entries, and one with `.lock` lets one process after another write.
    ///   - maxBytes: the size that both files together may reach.
    ///   - patience: how long a write waits for other processes to end theirs.
    /// - Throws: ``AssistantError`` with code `storeUnavailable`.
    public init(at url: URL, maxBytes: Int = 64 << 20, patience: Duration = .seconds(20)) throws {
        (self.url, self.maxBytes, self.patience) = (url, maxBytes, patience)
        reader = ActionLogReader(url)
        if case .anew(let records) = try reader.news() { contents.take(records) }
        // What cannot be written is told now, not with the first action.
        _ = try Self.lock(url)
    }

    private static func lock(_ url: URL) throws(AssistantError) -> FileLock? {
        do {
            return try FileLock.take(.exclusive, at: url.appendingPathExtension("lock"))
        } catch {
            throw failure(error)
        }
    }

    private static func open(_ url: URL, keeping size: Int? = nil) throws(AssistantError) -> AppendedFile {
        do {
            return try AppendedFile(url, keeping: size)
        } catch {
            throw failure(error)
        }
    }

    static func failure(_ error: FileError) -> AssistantError {
        AssistantError(.storeUnavailable, "The log cannot be used: \(error.message)", cause: error)
    }

    // MARK: Several processes

    /// Reads what other processes have added.
    private func readNews() throws(AssistantError) {
        switch try reader.news() {
        case .more(let records): contents.take(records)
        case .anew(let records): contents = ActionLogEntries(records)
        case .nothing: break
        }
    }

    /// Reads what other processes have added; what cannot be read now is read the next time.
    private func refresh() { try? readNews() }

    /// Does something during which no other process writes; what others have written is known before.
    ///
    /// Within a process several may be in progress, one within another or side by side.
    ///
    /// - Parameter body: what is done.
    /// - Returns: what it returns.
    /// - Throws: ``AssistantError`` with code `storeUnavailable` if another process writes for too long; what the body
    ///   throws; `CancellationError`.
    package func transaction<Result: Sendable>(
        _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        try await begin()
        defer { end() }
        return try await body()
    }

    private func begin() async throws {
        let deadline = ContinuousClock.now + patience
        while held == nil {
            if let lock = try Self.lock(url) {
                try readNews()
                // Only here it is certain that nobody is in the middle of a line.
                let file = try Self.open(url, keeping: reader.position)
                try reader.skip(to: reader.position)
                held = (lock, file)
                break
            }
            guard ContinuousClock.now < deadline else {
                throw AssistantError(
                    .storeUnavailable,
                    "Another Parley is writing to the log \(url.path). Try again when it has finished, or end it.")
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        transactions += 1
    }

    private func end() {
        transactions -= 1
        if transactions == 0 { held = nil }
    }

    // MARK: Reading

    /// The newest entries, newest first.
    public func entries(limit: Int = 50) -> [ActionLogEntry] {
        refresh()
        return contents.newest(limit)
    }

    /// The entry with a number; nil if there is none, or none any more.
    public func entry(_ id: Int) -> ActionLogEntry? {
        refresh()
        return contents[id]
    }

    /// The entries of a card, in order.
    public func entries(of card: String) -> [ActionLogEntry] {
        refresh()
        return contents.entries(of: card)
    }

    /// The number of the entry that undid another; nil if none did, or that was undone itself.
    public func undoing(of id: Int) -> Int? {
        refresh()
        return contents.undoing(of: id)
    }

    /// The entries that were made in part and not taken back, in order.
    func partial() -> [ActionLogEntries.Partial] {
        refresh()
        return contents.partial
    }

    /// The items of a store that hold nothing but the user's own words, newest first: those that were last written by an
    /// action of a turn which read no text of others, and whose content before, if any, was such too. An undo gives an
    /// item back what it was.
    ///
    /// The content is the one that was written; an item that has another one now was changed by somebody else.
    func ownItems(in store: String) -> [StoreItem] {
        refresh()
        return contents.ownItems(in: store)
    }

    // MARK: Writing

    /// Writes changes in order, each after its entry is on the disk.
    ///
    /// If a change cannot be made, those after it are not tried. Nothing is written if the entry cannot be.
    ///
    /// - Parameters:
    ///   - changes: the changes, at least one.
    ///   - reason: why.
    ///   - title: what is done, in a few words.
    ///   - origin: where the action comes from.
    ///   - undoes: the number of the entry that is undone.
    ///   - stores: the stores to write to.
    ///   - time: the time of the entry.
    ///   - isOwn: whether what is written is the user's own, as ``ActionLogEntry/isOwn``.
    /// - Returns: the entry, with what became of each change.
    /// - Throws: ``AssistantError`` with code `storeUnavailable` or `tooLarge` if the entry cannot be written.
    public func write(
        _ changes: [Change<StoreItem>], _ reason: LogEntry<StoreItem>.Reason, title: String,
        origin: ActionOrigin? = nil, undoes: Int? = nil, in stores: AssistantStores, at time: Date,
        isOwn: Bool = false
    ) async throws -> ActionLogEntry {
        guard !changes.isEmpty else { throw AssistantError(.invalidInput, "There is nothing to write.") }
        try await begin()
        defer { end() }
        let id = contents.last + 1
        let entry = ActionLogEntry(
            id: id, time: time, origin: origin, title: title, reason: reason, undoes: undoes, changes: changes,
            outcomes: changes.map { _ in nil }, isOwn: isOwn)
        try append(.intent(entry))
        contents.take([.intent(entry)])
        writing.insert(id)
        defer { writing.remove(id) }
        var hasFailed = false
        for (index, change) in changes.enumerated() {
            let outcome: ActionLogEntry.Outcome
            if hasFailed {
                outcome = .failed(ActionLogEntry.notTried)
            } else {
                outcome = await Self.apply(change, in: stores)
                hasFailed = outcome != .done
            }
            settle(id, index, outcome)
        }
        return contents[id] ?? entry
    }

    /// Finds out what became of writes during which a process ended, by comparing the items with what they were before
    /// and should be after.
    ///
    /// - Parameter stores: the stores to ask; entries of a store that is missing or cannot be reached stay unsettled.
    /// - Returns: the entries that were settled, in order.
    public func settle(in stores: AssistantStores) async -> [ActionLogEntry] {
        refresh()
        // What is unsettled while another process writes may be what it is writing; then its end is waited for.
        guard contents.inOrder.contains(where: { !$0.isSettled && !writing.contains($0.id) }),
            (try? await begin()) != nil
        else { return [] }
        defer { end() }
        var settled: [ActionLogEntry] = []
        for entry in contents.inOrder where !entry.isSettled && !writing.contains(entry.id) {
            for (index, change) in entry.changes.enumerated() where entry.outcomes[index] == nil {
                guard let id = change.itemID, let store = stores.store(of: id) else { continue }
                do {
                    let item = try await store.item(id)
                    let outcome: ActionLogEntry.Outcome =
                        if item == change.after {
                            .done
                        } else if item == change.before {
                            .failed("The program ended before it was made.")
                        } else {
                            .unclear
                        }
                    settle(entry.id, index, outcome)
                } catch {
                    continue
                }
            }
            if let now = contents[entry.id], now.isSettled { settled.append(now) }
        }
        return settled
    }

    /// Undoes an entry: the items get the bytes back that they had before it, all or none.
    ///
    /// - Parameters:
    ///   - id: the number of the entry.
    ///   - stores: the stores to write to.
    ///   - time: the time of the new entry.
    /// - Returns: the new entry.
    /// - Throws: ``AssistantError`` with code `itemNotFound` if there is no such entry or it has made nothing,
    ///   `itemChanged` if an item was changed after it, `invalidInput` if it is undone already, `storeUnavailable`.
    public func undo(_ id: Int, in stores: AssistantStores, at time: Date) async throws -> ActionLogEntry {
        try await begin()
        defer { end() }
        guard let entry = contents[id] else { throw AssistantError(.itemNotFound, "The log has no entry \(id).") }
        guard !entry.made.isEmpty else { throw AssistantError(.itemNotFound, "Entry \(id) has changed nothing.") }
        if let other = undoing(of: id) {
            throw AssistantError(.invalidInput, "Entry \(id) was undone already, by entry \(other).")
        }
        let inverses = Array(entry.made.map(\.inverse).reversed())
        let undo = try await write(
            inverses, .undo, title: entry.title, origin: entry.origin, undoes: id, in: stores, at: time)
        guard !undo.isDone else { return undo }
        if !undo.made.isEmpty {
            _ = try await write(
                undo.made.map(\.inverse).reversed(), .rollback, title: entry.title, origin: entry.origin,
                undoes: undo.id, in: stores, at: time)
        }
        let reason = undo.outcomes.compactMap { outcome in
            if case .failed(let reason)? = outcome { reason } else { nil }
        }.first
        throw AssistantError(
            .itemChanged, "Entry \(id) was not undone: \(reason ?? "something that it made is no longer there.")")
    }

    private func settle(_ id: Int, _ index: Int, _ outcome: ActionLogEntry.Outcome) {
        contents.take([.outcome(entry: id, change: index, outcome)])
        // If this fails, the change is found out about when the log is opened next.
        try? append(.outcome(entry: id, change: index, outcome))
    }

    private static func apply(_ change: Change<StoreItem>, in stores: AssistantStores) async -> ActionLogEntry.Outcome {
        guard let id = change.itemID, let store = stores.store(of: id) else {
            return .failed("The store is not connected.")
        }
        do {
            try await store.apply(change)
            return .done
        } catch let error as AssistantError {
            return error.code == .itemNotFound ? .gone : .failed(error.message)
        } catch {
            return .failed("The store failed.")
        }
    }

    // MARK: The file

    private func append(_ record: ActionRecord) throws {
        let excess = AssistantError(.tooLarge, "The change is too large for the log.")
        // Before the line is made, which takes several times the memory of its items.
        guard record.contentBytes <= Self.maxEntry else { throw excess }
        let line = record.line
        guard line.count <= Self.maxEntry else { throw excess }
        guard let count = held?.file.count else { throw AssistantError(.storeUnavailable, "The log is not open.") }
        if case .intent = record, count + line.count > maxBytes / 2, count > 0 { try rotate() }
        guard let file = held?.file else { throw AssistantError(.storeUnavailable, "The log is not open.") }
        do {
            try file.append(line)
        } catch {
            throw Self.failure(error)
        }
        try reader.skip(to: file.count)
    }

    /// Makes the file the older of two; what is not settled keeps it from being moved.
    private func rotate() throws {
        guard contents.inOrder.allSatisfy(\.isSettled) else { return }
        let lost = try Set(reader.oldRecords().map { if case .intent(let entry) = $0 { entry.id } else { 0 } })
        do {
            try WholeFile.move(url, to: reader.older)
        } catch {
            throw Self.failure(error)
        }
        held?.file = try Self.open(url)
        try reader.skip(to: 0)
        contents.forget(lost)
    }
}
