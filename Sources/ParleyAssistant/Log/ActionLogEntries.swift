// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The entries of a log, as its records tell them, and what follows from them.
struct ActionLogEntries {
    /// An entry that was made in part and not taken back, which happens if a process ends between two changes.
    struct Partial {
        var entry: ActionLogEntry
        /// The changes that take it back.
        var inverses: [Change<StoreItem>]
        /// Whether that was tried before.
        var wasTried: Bool
    }

    private var all: [Int: ActionLogEntry] = [:]
    /// The entries of each card, in order.
    private var byCard: [String: [Int]] = [:]
    /// The largest number of an entry; 0 without one.
    private(set) var last = 0

    /// Reads records.
    init(_ records: [ActionRecord] = []) { take(records) }

    /// Reads further records.
    mutating func take(_ records: [ActionRecord]) {
        for record in records {
            switch record {
            case .intent(let entry):
                all[entry.id] = entry
                if let card = entry.origin?.card { byCard[card, default: []].append(entry.id) }
                last = max(last, entry.id)
            case .outcome(let id, let change, let outcome):
                guard let count = all[id]?.outcomes.count, change < count else { continue }
                all[id]?.outcomes[change] = outcome
            }
        }
    }

    /// Forgets entries that are no longer in the files.
    mutating func forget(_ ids: Set<Int>) {
        for id in ids { all[id] = nil }
        byCard = byCard.mapValues { $0.filter { !ids.contains($0) } }.filter { !$0.value.isEmpty }
    }

    /// The entry with a number; nil if there is none, or none any more.
    subscript(id: Int) -> ActionLogEntry? { all[id] }

    /// All entries, in order.
    var inOrder: [ActionLogEntry] { all.values.sorted { $0.id < $1.id } }

    /// The newest entries, newest first.
    func newest(_ limit: Int) -> [ActionLogEntry] {
        all.keys.sorted(by: >).prefix(max(0, limit)).compactMap { all[$0] }
    }

    /// The entries of a card, in order.
    func entries(of card: String) -> [ActionLogEntry] { (byCard[card] ?? []).compactMap { all[$0] } }

    /// The number of the entry that undid another; nil if none did, or that was undone itself.
    func undoing(of id: Int) -> Int? {
        // An undo has a larger number than what it undoes, also in a file that somebody has edited, so this ends.
        let undos = all.values.filter { $0.undoes == id && $0.id > id && $0.reason == .undo && $0.isDone }
        return undos.map(\.id).max().flatMap { undoing(of: $0) == nil ? $0 : nil }
    }

    /// The entries that were made in part and not taken back, in order.
    var partial: [Partial] {
        inOrder.compactMap { entry in
            guard entry.reason != .rollback, entry.isSettled, !entry.isDone, !entry.made.isEmpty else { return nil }
            let rollbacks = all.values.filter { $0.undoes == entry.id && $0.reason == .rollback }
            let back = rollbacks.flatMap(\.made)
            let rest = entry.made.map(\.inverse).reversed().filter { !back.contains($0) }
            guard !rest.isEmpty else { return nil }
            return Partial(entry: entry, inverses: rest, wasTried: !rollbacks.isEmpty)
        }
    }

    /// The items of a store that hold nothing but the user's own words, as ``ActionLog/ownItems(in:)`` says.
    func ownItems(in store: String) -> [StoreItem] {
        var own: [StoreItem.ID: Set<Data>] = [:]
        var latest: [StoreItem.ID: (entry: Int, content: Data?)] = [:]
        for entry in inOrder {
            for change in entry.made {
                guard let id = change.itemID, id.store == store else { continue }
                latest[id] = (entry.id, change.after?.content)
                guard entry.isOwn, let after = change.after?.content else { continue }
                if let before = change.before, own[id]?.contains(before.content) != true { continue }
                own[id, default: []].insert(after)
            }
        }
        return latest.sorted { ($1.value.entry, $0.key.path) < ($0.value.entry, $1.key.path) }.compactMap { id, last in
            guard let content = last.content, own[id]?.contains(content) == true else { return nil }
            return StoreItem(id: id, content: content)
        }
    }
}
