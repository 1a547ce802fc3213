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
    /// The state as the file has it.
    private var saved: MirrorState?
    private var report: CollectionReport
    /// Whether everything that the server named was dealt with, so that its token may be kept.
    private var isWhole = true
    /// What is found to be sent while other items are got or sent.
    private var late: [SyncPlan.Entry] = []
    /// The number of bytes that are got before they are put into the folder.
    private static let most = 16 << 20

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
        state = try MirrorState(at: file)
        saved = state
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
            state: state, local: local, remote: listing, collection: collection,
            deletesAny: options.deletesAny)
        if plan.heldBack > 0 {
            report.notices.append(
                "\(plan.heldBack) of the files in \(mirror.folder) are missing. They were not deleted on the server; "
                    + "'parley accounts sync --delete-any' deletes them there too.")
        }
        try await fetch(plan.entries.filter { $0.step == .fetch }, of: remote)
        for entry in plan.entries where entry.step == .drop || entry.step == .setAside {
            state.notes[entry.name, default: .init()].expectHere(nil)
        }
        try save()
        for entry in plan.entries { try await settle(entry) }
        try await send(plan.entries + takeLate())
        // An earlier synchronisation, of which this learnt only now, made these from another version.
        try await send(takeLate())
        if isWhole {
            state.notes = state.notes.compactMapValues { $0.afterSynchronisation() }
            if let token = listing.token { state.token = token }
        }
        try save()
    }

    private func save() throws {
        guard state != saved else { return }
        try state.write(to: file)
        saved = state
    }

    // MARK: From the server

    /// The content of an item on the server.
    private struct Got {
        var entry: SyncPlan.Entry
        var content: Data
        var etag: String?
    }

    private func fetch(_ entries: [SyncPlan.Entry], of remote: RemoteCollection) async throws {
        var rest = entries[...]
        while !rest.isEmpty {
            try Task.checkCancellation()
            let batch = rest.prefix(options.batch)
            rest = rest.dropFirst(options.batch)
            var contents: [DAVPath: (content: Data, etag: String?)] = [:]
            if batch.count > 1 { contents = try await remote.contents(of: batch.map(\.path)) }
            var (got, bytes) = ([Got](), 0)
            for entry in batch {
                // A server may leave out what it was asked for.
                var item = contents[entry.path]
                if item == nil { item = try await single(entry) }
                guard let item else { continue }
                got.append(Got(entry: entry, content: item.content, etag: item.etag))
                bytes += item.content.count
                guard bytes > Self.most else { continue }
                try await merge(got)
                (got, bytes) = ([], 0)
            }
            try await merge(got)
        }
    }

    /// Puts the server's contents of items into the folder, after noting that, so that a file that was written before
    /// the program ended does not count as changed here.
    private func merge(_ got: [Got]) async throws {
        for one in got { expect(one) }
        try save()
        for one in got { try await merge(one) }
        try save()
    }

    /// Notes that the server's content may get into the folder.
    private func expect(_ one: Got) {
        if isSentBefore(one) { return }
        state.notes[one.entry.name, default: .init()].expectHere(SHA256Hash.hexadecimal(of: one.content))
    }

    /// Whether the server has what an earlier synchronisation was about to send when it ended.
    private func isSentBefore(_ one: Got) -> Bool {
        guard let notes = state.notes[one.entry.name] else { return false }
        return notes.mayBeThere(ItemMerge.meaning(of: one.content))
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
    private func merge(_ got: Got, isSent: Bool = false) async throws {
        let (entry, theirs) = (got.entry, got.content)
        let local = try mirror.content(entry.name)
        let record = MirrorState.Record(
            href: entry.path.encoded, etag: got.etag, hash: SHA256Hash.hexadecimal(of: theirs))
        // It is what the file was changed from since.
        if !isSent, isSentBefore(got), local.map({ $0 == theirs || ItemMerge.isSame($0, theirs) }) != true {
            state.settle(entry.name, record)
            // What was deleted since is deleted by the next synchronisation, which looks whether it is too much.
            if let etag = got.etag, local != nil {
                late.append(SyncPlan.Entry(entry.name, entry.path, .update(etag: etag)))
            }
            return
        }
        var merge = ItemMerge(entry.name, state, local: local, theirs: theirs)
        // What was just sent stays as it is, so that it can be undone.
        if isSent, merge == .take, let local, ItemMerge.isSame(local, theirs) { merge = .same }
        switch merge {
        case .same:
            var record = record
            record.hash = local.map(SHA256Hash.hexadecimal)
            return state.settle(entry.name, record)
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
        state.settle(entry.name, record)
        report.received += 1
    }

    /// Does what needs no server.
    private func settle(_ entry: SyncPlan.Entry) async throws {
        switch entry.step {
        case .forget: state.settle(entry.name, nil)
        case .drop, .setAside: try await drop(entry)
        case .leave(let reason): report.unsent.append("\(mirror.folder)/\(entry.name): \(reason)")
        case .fetch, .create, .update, .delete: break
        }
    }

    /// Deletes the file of an item that is gone on the server, after keeping what was changed in it here.
    private func drop(_ entry: SyncPlan.Entry) async throws {
        if let local = try mirror.content(entry.name) {
            if !state.isOurs(SHA256Hash.hexadecimal(of: local), in: entry.name) {
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
        state.settle(entry.name, nil)
    }

    // MARK: To the server

    private func takeLate() -> [SyncPlan.Entry] {
        defer { late = [] }
        return late
    }

    /// Sends items, after noting what: if the program ends before an answer is recorded, even while the server still
    /// deals with the request, what the server then has is known as ours.
    private func send(_ entries: [SyncPlan.Entry]) async throws {
        var rest = entries[...]
        // The notes make good what is not recorded, so that not every item has to be written to the disk.
        defer { try? save() }
        while !rest.isEmpty {
            let batch = rest.prefix(options.batch)
            rest = rest.dropFirst(options.batch)
            for entry in batch {
                if entry.step.isWrite, let content = try mirror.content(entry.name) {
                    state.notes[entry.name, default: .init()].expectThere(ItemMerge.meaning(of: content))
                } else if case .delete = entry.step {
                    state.notes[entry.name, default: .init()].expectThere(nil)
                }
            }
            try save()
            for entry in batch {
                try Task.checkCancellation()
                try await send(entry)
            }
        }
    }

    private func send(_ entry: SyncPlan.Entry) async throws {
        switch entry.step {
        case .create: try await put(entry, replacing: nil)
        case .update(let etag): try await put(entry, replacing: etag)
        case .delete(let etag):
            // Somebody may have put it back.
            guard try mirror.content(entry.name) == nil else { return }
            switch try await server.delete(entry.path, with: etag) {
            case .done, .gone:
                state.settle(entry.name, nil)
                report.deleted += 1
            case .changed: try await reconcile(entry)
            case .refused(let status): refused(entry, status)
            }
        default: return
        }
    }

    private func put(_ entry: SyncPlan.Entry, replacing etag: String?) async throws {
        guard let ours = try mirror.content(entry.name) else { return }
        let hash = SHA256Hash.hexadecimal(of: ours)
        let meaning = ItemMerge.meaning(of: ours)
        if state.notes[entry.name]?.mayBeThere(meaning) != true {
            state.notes[entry.name, default: .init()].expectThere(meaning)
            try save()
        }
        switch try await server.put(ours, at: entry.path, replacing: etag, kind: collection.kind) {
        case .done(let etag):
            report.sent += 1
            state.settle(entry.name, MirrorState.Record(href: entry.path.encoded, etag: etag, hash: hash))
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
        guard let item = try await server.item(entry.path) else {
            if state.notes[entry.name]?.mayBeThere(nil) == true {
                // An earlier synchronisation deleted it.
                state.settle(entry.name, nil)
                return late.append(SyncPlan.Entry(entry.name, entry.path, .create))
            }
            state.notes[entry.name, default: .init()].expectHere(nil)
            try save()
            return try await drop(entry)
        }
        // Nobody changed it: the server refused for another reason, so what is here waits.
        if !isSent, let etag = item.etag, etag == state.records[entry.name]?.etag { return refused(entry, status) }
        let got = Got(entry: entry, content: item.content, etag: item.etag)
        expect(got)
        try save()
        try await merge(got, isSent: isSent)
    }

    private func refused(_ entry: SyncPlan.Entry, _ status: Int) {
        report.unsent.append("\(mirror.folder)/\(entry.name): the server does not take it (status \(status))")
    }
}
