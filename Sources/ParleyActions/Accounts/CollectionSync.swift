// SPDX-License-Identifier: Apache-2.0

package import Foundation
import ParleyAssistant
import ParleyFiles

/// Brings a folder and a collection on a server together.
///
/// First it gets what changed there, then it sends what changed here, each only if it still replaces what it was made
/// from. It may end at any point: what was done is found done, and nothing is sent twice or lost.
package actor CollectionSync {
    /// How a synchronisation goes.
    package struct Options: Hashable, Sendable {
        /// Whether any number of items may be deleted on the server.
        package var deletesAny = false
        /// The number of items that are asked for at once.
        package var batch = 50

        /// Creates the usual options.
        package init() {}
    }

    private let server: DAVServer
    private let collection: DAVCollection
    private let mirror: CollectionMirror
    private let file: URL
    private let options: Options
    private var state = MirrorState()
    private var report: CollectionReport
    /// Whether everything that the server named was dealt with, so that its token may be kept.
    private var isWhole = true
    /// What is found to be sent while the server's items are got.
    private var late: [SyncPlan.Entry] = []

    /// Creates a value that brings two sides together once.
    ///
    /// - Parameters:
    ///   - collection: the collection.
    ///   - server: its server.
    ///   - mirror: its folder.
    ///   - file: where the state is kept.
    ///   - options: how it goes.
    package init(
        _ collection: DAVCollection, on server: DAVServer, mirror: CollectionMirror, state file: URL,
        options: Options = Options()
    ) {
        (self.collection, self.server, self.mirror) = (collection, server, mirror)
        (self.file, self.options) = (file, options)
        report = CollectionReport(folder: mirror.folder)
    }

    /// Synchronises. What goes wrong is in the report.
    ///
    /// - Throws: `CancellationError`.
    package func run() async throws -> CollectionReport {
        do {
            try await synchronise()
        } catch let error as AssistantError {
            report.problem = error.message
            report.isOffline = error.isOffline
        } catch let error as FileError {
            report.problem = error.message
        }
        return report
    }

    private func synchronise() async throws {
        let mark = try mirror.prepare()
        state = MirrorState(at: file)
        // Another folder in the place of the one that is known: its missing files were not deleted by the user.
        if state.mark != mark { state = MirrorState() }
        state.mark = mark
        state.records = state.records.filter { $0.value.path.map(collection.path.isParent) ?? false }
        mirror.describe(title: collection.title, colour: collection.colour)
        let remote = RemoteCollection(collection, on: server)
        guard let listing = try await remote.listing(since: state.token) else {
            throw AssistantError(
                .itemNotFound, "The collection \(mirror.folder) is no longer on the server, or may not be read.")
        }
        if listing.outside > 0 {
            report.notices.append(
                "The server names \(listing.outside) items outside of \(mirror.folder); they are left out.")
        }
        let local = try mirror.digests()
        let plan = SyncPlan(
            records: state.records, local: local, remote: listing, collection: collection,
            deletesAny: options.deletesAny)
        if plan.heldBack > 0 {
            report.notices.append(
                "\(plan.heldBack) of the files in \(mirror.folder) are missing. They were not deleted on the server; "
                    + "'parley accounts sync --delete-any' deletes them there too.")
        }
        try await fetch(plan.entries.filter { $0.step == .fetch }, of: remote)
        for entry in plan.entries { try await settle(entry) }
        let toSend = plan.entries + late
        let names = Set(toSend.filter(\.step.isWrite).map(\.name))
        state.sending = local.filter { names.contains($0.key) }
        try save()
        for entry in toSend {
            try Task.checkCancellation()
            try await send(entry)
        }
        if isWhole, let token = listing.token, token != state.token {
            state.token = token
            try save()
        }
    }

    private func save() throws { try state.write(to: file) }

    // MARK: From the server

    private func fetch(_ entries: [SyncPlan.Entry], of remote: RemoteCollection) async throws {
        var rest = entries[...]
        while !rest.isEmpty {
            try Task.checkCancellation()
            let batch = rest.prefix(options.batch)
            rest = rest.dropFirst(options.batch)
            var contents: [DAVPath: (content: Data, etag: String?)] = [:]
            if batch.count > 1 { contents = try await remote.contents(of: batch.map(\.path)) }
            for entry in batch {
                // A server may leave out what it was asked for.
                var item = contents[entry.path]
                if item == nil { item = try await single(entry) }
                if let item { try await merge(entry, item.content, etag: item.etag) }
            }
            try save()
        }
    }

    /// The content of one item; nil if it is gone or cannot be kept.
    private func single(_ entry: SyncPlan.Entry) async throws -> (content: Data, etag: String?)? {
        do {
            if let item = try await server.item(entry.path) { return item }
            // It was deleted meanwhile; the next synchronisation is told.
            isWhole = false
        } catch let error as AssistantError {
            guard [.tooLarge, .invalidAnswer].contains(error.code) else { throw error }
            report.notices.append("\(mirror.folder)/\(entry.name) could not be got: \(error.message)")
            isWhole = false
        }
        return nil
    }

    /// Puts the server's content of an item into the folder, unless it was changed here.
    private func merge(
        _ entry: SyncPlan.Entry, _ theirs: Data, etag: String?, isSent: Bool = false
    ) async throws {
        let local = try mirror.content(entry.name)
        let record = MirrorState.Record(
            href: entry.path.encoded, etag: etag, hash: SHA256Hash.hexadecimal(of: theirs))
        // The server has what was sent before the program ended: it is what the file was changed from.
        if !isSent, let local, state.sending[entry.name] == record.hash, local != theirs {
            state.records[entry.name] = record
            if let etag { late.append(SyncPlan.Entry(entry.name, entry.path, .update(etag: etag))) }
            return
        }
        var merge = ItemMerge(state.records[entry.name], local: local, theirs: theirs)
        // What was just sent stays as it is, so that it can be undone.
        if isSent, merge == .take, let local, ItemMerge.isSame(local, theirs) { merge = .same }
        switch merge {
        case .same:
            state.records[entry.name] = record
            state.records[entry.name]?.hash = local.map(SHA256Hash.hexadecimal)
            return
        case .take: break
        case .conflict:
            var kept: URL?
            if let local { kept = try mirror.setAside(entry.name, local) }
            report.conflicts.append(
                SyncConflict(
                    item: "\(mirror.folder)/\(entry.name)", kind: local == nil ? .deletedHere : .changed, kept: kept))
        }
        guard try await mirror.replace(entry.name, local, by: theirs) else {
            isWhole = false
            return
        }
        state.records[entry.name] = record
        report.received += 1
    }

    /// Does what needs no server.
    private func settle(_ entry: SyncPlan.Entry) async throws {
        switch entry.step {
        case .forget: state.records[entry.name] = nil
        case .drop, .setAside: try await drop(entry)
        case .leave(let reason): report.unsent.append("\(mirror.folder)/\(entry.name): \(reason)")
        case .fetch, .create, .update, .delete: break
        }
    }

    /// Deletes the file of an item that is gone on the server, after keeping what was changed in it here.
    private func drop(_ entry: SyncPlan.Entry) async throws {
        if let local = try mirror.content(entry.name) {
            if SHA256Hash.hexadecimal(of: local) != state.records[entry.name]?.hash {
                let kept = try mirror.setAside(entry.name, local)
                report.conflicts.append(
                    SyncConflict(item: "\(mirror.folder)/\(entry.name)", kind: .deletedThere, kept: kept))
            }
            guard try await mirror.replace(entry.name, local, by: nil) else {
                isWhole = false
                return
            }
            report.removed += 1
        }
        state.records[entry.name] = nil
    }

    // MARK: To the server

    private func send(_ entry: SyncPlan.Entry) async throws {
        switch entry.step {
        case .create: try await put(entry, replacing: nil)
        case .update(let etag): try await put(entry, replacing: etag)
        case .delete(let etag):
            // Somebody may have put it back.
            guard try mirror.content(entry.name) == nil else { return }
            switch try await server.delete(entry.path, with: etag) {
            case .done, .gone:
                state.records[entry.name] = nil
                report.deleted += 1
            case .changed: try await reconcile(entry)
            case .refused(let status): refused(entry, status)
            }
        default: return
        }
        try save()
    }

    private func put(_ entry: SyncPlan.Entry, replacing etag: String?) async throws {
        guard let ours = try mirror.content(entry.name) else { return }
        let hash = SHA256Hash.hexadecimal(of: ours)
        if state.sending[entry.name] != hash {
            state.sending[entry.name] = hash
            try save()
        }
        switch try await server.put(ours, at: entry.path, replacing: etag, kind: collection.kind) {
        case .done(let etag):
            report.sent += 1
            state.records[entry.name] = MirrorState.Record(
                href: entry.path.encoded, etag: etag, hash: hash)
            guard etag == nil else { return }
            // The server may have written it anew, so it says no entity tag for what it was sent (RFC 4791, 5.3.4).
            try save()
            try await reconcile(entry, isSent: true)
        case .gone where etag == nil: refused(entry, 404)
        case .changed, .gone: try await reconcile(entry, status: 412)
        case .refused(409):
            // Either somebody else created it, or the server has another item with the same identifier.
            guard try await server.item(entry.path) != nil else { return refused(entry, 409) }
            try await reconcile(entry, status: 409)
        case .refused(let status): refused(entry, status)
        }
    }

    /// Looks at what the server has of an item that turned out to be another than expected, or that was just sent.
    ///
    /// - Parameters:
    ///   - entry: the item.
    ///   - status: the status with which the server refused a write; told if the item is what it was.
    ///   - isSent: whether the item was just sent.
    /// - Throws: ``AssistantError``, or `CancellationError`.
    private func reconcile(_ entry: SyncPlan.Entry, status: Int = 412, isSent: Bool = false) async throws {
        guard let item = try await server.item(entry.path) else { return try await drop(entry) }
        // Nobody changed it: the server refused for another reason, so what is here waits.
        if !isSent, let etag = item.etag, etag == state.records[entry.name]?.etag { return refused(entry, status) }
        try await merge(entry, item.content, etag: item.etag, isSent: isSent)
    }

    private func refused(_ entry: SyncPlan.Entry, _ status: Int) {
        report.unsent.append("\(mirror.folder)/\(entry.name): the server does not take it (status \(status))")
    }
}
