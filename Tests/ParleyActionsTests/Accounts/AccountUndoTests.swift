// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyActions
import ParleyAssistant
import ParleyConversation
import ParleyHTTP
import ParleyTestSupport
import Synchronization
import Testing

/// What the assistant does in the folder of an account, and takes back, with a synchronisation after each.
@Suite("Undo on an account")
struct AccountUndoTests {
    private let bench: SyncBench
    private let runner: ActionRunner

    init() async throws {
        bench = try SyncBench()
        let folder = FolderStore(
            name: "calendar", folder: bench.home.url.appending(path: "calendars"), suffix: "ics", depth: 2)
        let stores = AssistantStores(
            calendar: CalendarItems(MirroredItems(folder, readOnly: { [] }), timeZone: .gmt, folder: "work-cal"))
        var settings = ActionRunner.Settings()
        for tag in ActionTag.allCases { settings.policy.set(tag, .automatic) }
        let now = try Date("2026-03-01T12:00:00Z", strategy: .iso8601)
        runner = await ActionRunner(
            stores: stores, log: try ActionLog(at: bench.home.url.appending(path: "actions.jsonl")),
            settings: settings, context: { DateContext(now: now, timeZone: .gmt, locale: Locale(identifier: "en_GB")) })
        for name in ["dentist", "stand-up"] { bench.server.write("\(name).ics", SyncBench.event(name, name)) }
        try await bench.sync()
        _ = bench.server.takeMethods()
    }

    /// Carries out a block.
    ///
    /// - Returns: the number of its entry in the log.
    private func act(_ block: String) async throws -> Int {
        _ = await runner.run(
            FinishedReply(
                chat: "c", message: UUID().uuidString, text: "[CALENDAR_ACTION:\(block)]", finish: .stop,
                readsUntrusted: false))
        let entry = try #require(await runner.log.entries().first)
        #expect(!entry.made.isEmpty)
        return entry.id
    }

    private static let create =
        #"{"action":"create","title":"Lunch","start":"2026-03-02 12:00","end":"2026-03-02 13:00"}"#
    private static let update = #"{"action":"update","search":"dentist","title":"Dr. Who","location":"Room 1"}"#
    private static let delete = #"{"action":"delete","search":"dentist"}"#

    @Test("what is done, sent, undone and sent again leaves both sides as before", arguments: [create, update, delete])
    func bothSides(block: String) async throws {
        let before = bench.server.texts
        let entry = try await act(block)
        var report = try await bench.sync()
        #expect(report.sent + report.deleted == 1 && bench.server.texts == bench.files && bench.files != before)
        _ = try await runner.undo(entry)
        #expect(bench.files == before)
        report = try await bench.sync()
        #expect(report.sent + report.deleted == 1 && report.conflicts.isEmpty && report.unsent.isEmpty)
        #expect(bench.server.texts == before && bench.files == before)
        let writes = bench.server.state.withLock { $0.requests.filter { ["PUT", "DELETE"].contains($0.method) } }
        #expect(writes.count == 2)
        #expect(writes.allSatisfy { $0.headers["If-Match"] != nil || $0.headers["If-None-Match"] == "*" })
        #expect(try await bench.sync().hasChanges == false)
    }

    @Test("a change that somebody else made after it is not undone", arguments: [true, false])
    func changedThere(isKnown: Bool) async throws {
        let entry = try await act(Self.update)
        try await bench.sync()
        let theirs = SyncBench.event("theirs", "dentist")
        bench.server.write("dentist.ics", theirs)
        if isKnown {
            // It is here already: undoing would overwrite it.
            try await bench.sync()
            let error = await #expect(throws: AssistantError.self) { try await runner.undo(entry) }
            #expect(error?.code == .itemChanged)
            #expect(try await bench.sync().hasChanges == false)
            #expect(bench.kept.isEmpty)
        } else {
            // It is only found by the synchronisation, which keeps what undoing wrote.
            _ = try await runner.undo(entry)
            let report = try await bench.sync()
            #expect(report.conflicts.map(\.kind) == [.changed])
            #expect(bench.kept == [SyncBench.event("dentist", "dentist")])
        }
        #expect(bench.server.texts["dentist.ics"] == theirs && bench.files == bench.server.texts)
    }

    @Test("what was created and changed there since is not deleted by undoing")
    func changedSinceCreation() async throws {
        let entry = try await act(Self.create)
        try await bench.sync()
        let name = try #require(bench.files.keys.first { !["dentist.ics", "stand-up.ics"].contains($0) })
        let theirs = try #require(bench.files[name]).replacing("Lunch", with: "Dinner")
        bench.server.write(name, theirs)
        _ = try await runner.undo(entry)
        #expect(bench.files[name] == nil)
        let report = try await bench.sync()
        #expect(report.conflicts.map(\.kind) == [.deletedHere])
        #expect(bench.files[name] == theirs && bench.server.texts == bench.files)
    }
}
