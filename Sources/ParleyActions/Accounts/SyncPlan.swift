// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyFiles

/// What a server says of the items of a collection.
package struct RemoteListing: Hashable, Sendable {
    /// What is said of an item.
    package enum Item: Hashable, Sendable {
        /// It is there, with an entity tag if the server gives one.
        case present(etag: String?)
        /// It is no longer there.
        case gone
    }

    /// The items that were named.
    package var items: [DAVPath: Item]
    /// Whether all items were named, not only those that changed.
    package var isComplete: Bool
    /// The token with which to ask for what changes after this.
    package var token: String?
    /// The number of items that the server named although they are not in the collection.
    package var outside = 0

    /// Creates a listing.
    package init(_ items: [DAVPath: Item] = [:], isComplete: Bool, token: String? = nil) {
        (self.items, self.isComplete, self.token) = (items, isComplete, token)
    }
}

/// What has to be done to bring a folder and a collection together, from what both are and last were.
///
/// It is a pure function; nothing in it is lost if only some of the steps are done.
package struct SyncPlan: Hashable, Sendable {
    /// What is to be done with an item.
    package enum Step: Hashable, Sendable {
        /// Get the server's content, and merge it with the file.
        case fetch
        /// Create the item on the server.
        case create
        /// Replace the item on the server, if it still has this entity tag.
        case update(etag: String)
        /// Delete the item on the server, if it still has this entity tag.
        case delete(etag: String)
        /// Delete the file, of which the item is gone on the server.
        case drop
        /// Put aside a file that was changed here, while its item was deleted on the server.
        case setAside
        /// Forget an item that is gone on both sides.
        case forget
        /// Leave it as it is, for a reason that is told.
        case leave(String)

        /// Whether a content is sent.
        var isWrite: Bool {
            switch self {
            case .create, .update: true
            default: false
            }
        }
    }

    /// A step for an item.
    package struct Entry: Hashable, Sendable {
        /// The name of the file.
        package var name: String
        /// The path on the server.
        package var path: DAVPath
        /// What is to be done.
        package var step: Step

        /// Creates an entry.
        package init(_ name: String, _ path: DAVPath, _ step: Step) {
            (self.name, self.path, self.step) = (name, path, step)
        }
    }

    /// The digest that stands for a file that cannot be read.
    package static let unreadable = ""
    /// The steps, in the order of the names.
    package private(set) var entries: [Entry] = []
    /// The number of deletions that are held back because they are so many.
    package private(set) var heldBack = 0

    /// Makes the plan.
    ///
    /// - Parameters:
    ///   - state: the items as both sides had them last, and what may have happened since.
    ///   - local: the digests of the files, by name.
    ///   - remote: what the server says.
    ///   - collection: the collection.
    ///   - deletesAny: whether any number of items may be deleted on the server. Otherwise, if more than ten and more than
    ///     half of all are missing here, they are left: it is more likely that something removed the files.
    package init(
        state: MirrorState, local: [String: String], remote: RemoteListing, collection: DAVCollection,
        deletesAny: Bool = false
    ) {
        let records = state.records
        var rest = remote.items
        var used = Set(records.keys.map(FileName.key))
        for (name, record) in records {
            guard let path = record.path else { continue }
            let item = rest.removeValue(forKey: path)
            let now = item ?? (remote.isComplete ? .gone : .present(etag: record.etag))
            // Without an entity tag it is unknown whether the item changed.
            let isSame = now == .present(etag: record.etag) && (record.etag != nil || item == nil)
            let content = local[name]
            let notes = state.notes[name] ?? MirrorState.Notes()
            if let step = Self.step(record, notes, content, isSame: isSame, isGone: now == .gone, collection) {
                entries.append(Entry(name, path, step))
            }
        }
        let localKeys = Set(local.keys.map(FileName.key))
        for (path, item) in rest where collection.path.isParent(of: path) && item != .gone {
            var name = Self.fileName(for: path, suffix: collection.kind.suffix)
            let isTaken = used.contains(FileName.key(name))
            // A file of a name that differs only in case is another one.
            let isOther = local[name] == nil && localKeys.contains(FileName.key(name))
            if isTaken || isOther { name = Self.digestName(for: path, suffix: collection.kind.suffix) }
            used.insert(FileName.key(name))
            entries.append(Entry(name, path, .fetch))
        }
        let (planned, known) = (Set(entries.map(\.name)), Set(records.values.compactMap(\.path)))
        for (name, content) in local where records[name] == nil && !planned.contains(name) {
            let path = collection.path.appending(name)
            let isOnServer = known.contains(path)
            let step: Step =
                if content == Self.unreadable {
                    .leave("it cannot be read")
                } else if state.isOurs(content, in: name) {
                    // It came from the server, which does not have it any more, before it was recorded.
                    .drop
                } else if collection.isReadOnly {
                    .leave("the collection may only be read")
                } else if isOnServer {
                    .leave("the server has another item of that name")
                } else {
                    .create
                }
            entries.append(Entry(name, path, step))
        }
        if !deletesAny { holdBackDeletions(of: records.values.filter { $0.hash != nil }.count) }
        entries.sort { $0.name < $1.name }
    }

    /// The step for an item that both sides had.
    private static func step(
        _ record: MirrorState.Record, _ notes: MirrorState.Notes, _ content: String?, isSame: Bool, isGone: Bool,
        _ collection: DAVCollection
    ) -> Step? {
        if content == unreadable { return isSame ? .leave("it cannot be read") : nil }
        guard let content else {
            if isGone { return .forget }
            // What was never in the folder is not missing there.
            if !isSame { return .fetch }
            guard record.hash != nil else { return nil }
            // What may only be read comes back.
            if collection.isReadOnly { return .fetch }
            guard let etag = record.etag else { return .leave("the server gives it no entity tag") }
            return .delete(etag: etag)
        }
        // We deleted it there ourselves, and it came back here.
        if isGone, notes.mayBeThere(nil) { return .create }
        if isGone { return content == record.hash || notes.mayBeHere(content) ? .drop : .setAside }
        if !isSame { return .fetch }
        if content == record.hash { return nil }
        // It is a later content of the server than what was recorded.
        if notes.mayBeHere(content) { return .fetch }
        if collection.isReadOnly { return .fetch }
        guard let etag = record.etag else { return .leave("the server gives it no entity tag") }
        return .update(etag: etag)
    }

    private mutating func holdBackDeletions(of count: Int) {
        let deletions = entries.filter { if case .delete = $0.step { true } else { false } }
        guard deletions.count > 10, deletions.count > count / 2 else { return }
        heldBack = deletions.count
        entries.removeAll { if case .delete = $0.step { true } else { false } }
    }

    /// The name of the file for an item: the server's where every system accepts it.
    package static func fileName(for path: DAVPath, suffix: String) -> String {
        guard let name = path.names.last, FileName.fault(in: name) == nil, name.hasSuffix("." + suffix),
            name.utf8.count > suffix.utf8.count + 1
        else { return digestName(for: path, suffix: suffix) }
        return name
    }

    private static func digestName(for path: DAVPath, suffix: String) -> String {
        let hash = SHA256Hash.hexadecimal(of: Data(path.encoded.utf8))
        return "\(hash.prefix(32)).\(suffix)"
    }
}
