// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyActions
import Testing

@Suite("SyncPlan")
struct SyncPlanTests {
    private let base: DAVPath
    private let collection: DAVCollection

    init() throws {
        let url = try #require(URL(string: "https://example.org/cal/"))
        base = try #require(DAVPath(url))
        collection = DAVCollection(kind: .calendar, path: base)
    }

    /// The step for an item `a.ics`.
    private func step(
        record: MirrorState.Record?, local: String?, remote: RemoteListing.Item?, isComplete: Bool = true,
        isReadOnly: Bool = false, notes: MirrorState.Notes? = nil
    ) -> SyncPlan.Step? {
        var state = MirrorState()
        (state.records["a.ics"], state.notes["a.ics"]) = (record, notes)
        var collection = collection
        collection.isReadOnly = isReadOnly
        let path = base.appending("a.ics")
        let plan = SyncPlan(
            state: state, local: local.map { ["a.ics": $0] } ?? [:],
            remote: RemoteListing(remote.map { [path: $0] } ?? [:], isComplete: isComplete), collection: collection)
        #expect(plan.entries.count <= 1)
        #expect(plan.entries.allSatisfy { $0.name == "a.ics" && $0.path == path })
        return plan.entries.first?.step
    }

    @Test("every state of an item on both sides has its step")
    func steps() {
        let known = MirrorState.Record(href: "/cal/a.ics", etag: "1", hash: "h")
        let (same, other) = (RemoteListing.Item.present(etag: "1"), RemoteListing.Item.present(etag: "2"))
        // Known to both: the file unchanged, changed, deleted.
        #expect(step(record: known, local: "h", remote: same) == nil)
        #expect(step(record: known, local: "x", remote: same) == .update(etag: "1"))
        #expect(step(record: known, local: nil, remote: same) == .delete(etag: "1"))
        for local in ["h", "x", nil] { #expect(step(record: known, local: local, remote: other) == .fetch) }
        #expect(step(record: known, local: "h", remote: nil) == .drop)
        #expect(step(record: known, local: "x", remote: nil) == .setAside)
        #expect(step(record: known, local: nil, remote: nil) == .forget)
        #expect(step(record: known, local: "h", remote: .gone, isComplete: false) == .drop)
        // A listing of changes alone says nothing of the others.
        #expect(step(record: known, local: "h", remote: nil, isComplete: false) == nil)
        #expect(step(record: known, local: "x", remote: nil, isComplete: false) == .update(etag: "1"))
        #expect(step(record: known, local: nil, remote: nil, isComplete: false) == .delete(etag: "1"))
        // New on one side, or on both.
        #expect(step(record: nil, local: "x", remote: nil) == .create)
        #expect(step(record: nil, local: nil, remote: same) == .fetch)
        #expect(step(record: nil, local: "x", remote: same) == .fetch)
        #expect(step(record: nil, local: nil, remote: .gone) == nil)
        // What may only be read.
        #expect(step(record: known, local: "x", remote: same, isReadOnly: true) == .fetch)
        #expect(step(record: known, local: nil, remote: same, isReadOnly: true) == .fetch)
        #expect(
            step(record: nil, local: "x", remote: nil, isReadOnly: true) == .leave("the collection may only be read"))
        // A file that cannot be read is not taken for a deleted one.
        #expect(step(record: known, local: SyncPlan.unreadable, remote: same) == .leave("it cannot be read"))
        #expect(step(record: nil, local: SyncPlan.unreadable, remote: nil) == .leave("it cannot be read"))
        #expect(step(record: known, local: SyncPlan.unreadable, remote: nil) == nil)
    }

    @Test("what may have happened by our own doing is no change of others")
    func notes() {
        let known = MirrorState.Record(href: "/cal/a.ics", etag: "1", hash: "h")
        let same = RemoteListing.Item.present(etag: "1")
        var (received, deletion, removal) = (MirrorState.Notes(), MirrorState.Notes(), MirrorState.Notes())
        for digest in ["y", "z"] { received.expectHere(digest) }
        deletion.expectThere(nil)
        removal.expectHere(nil)
        // A file that the server's content was put into, of an item that the server then lost or never named again.
        for digest in ["y", "z"] {
            #expect(step(record: known, local: digest, remote: nil, notes: received) == .drop)
            #expect(step(record: nil, local: digest, remote: nil, notes: received) == .drop)
            #expect(step(record: known, local: digest, remote: same, notes: received) == .fetch)
        }
        #expect(step(record: known, local: "x", remote: nil, notes: received) == .setAside)
        #expect(step(record: nil, local: "x", remote: nil, notes: received) == .create)
        #expect(step(record: known, local: "x", remote: same, notes: received) == .update(etag: "1"))
        // A file that came back while the server dealt with the deletion.
        for local in ["h", "x"] {
            #expect(step(record: known, local: local, remote: nil, notes: deletion) == .create)
            #expect(
                step(record: known, local: local, remote: nil, notes: removal) == (local == "h" ? .drop : .setAside))
        }
        #expect(step(record: known, local: nil, remote: nil, notes: deletion) == .forget)
        #expect(step(record: known, local: nil, remote: same, notes: deletion) == .delete(etag: "1"))
    }

    @Test("notes are bounded, and do not last for ever")
    func bounds() throws {
        var notes = MirrorState.Notes()
        for number in 0..<1_000 { notes.expectThere("\(number)") }
        #expect((0..<1_000).filter { notes.mayBeThere("\($0)") } == Array(992..<1_000))
        notes.expectHere("x")
        // What the server has had since keeps it from taking what was made from something else.
        #expect(!notes.mayBeThere("999") && notes.mayBeHere("x"))
        notes.expectThere("sent")
        var rest = try #require(notes.afterSynchronisation())
        #expect(rest.mayBeThere("sent") && !rest.mayBeHere("x"))
        rest = try #require(rest.afterSynchronisation())
        #expect(rest.mayBeThere("sent"))
        #expect(rest.afterSynchronisation() == nil)
    }

    @Test("without an entity tag nothing is overwritten, and the item is looked at each time")
    func withoutTags() {
        let known = MirrorState.Record(href: "/cal/a.ics", etag: nil, hash: "h")
        #expect(step(record: known, local: "h", remote: .present(etag: nil)) == .fetch)
        let reason = SyncPlan.Step.leave("the server gives it no entity tag")
        #expect(step(record: known, local: "x", remote: nil, isComplete: false) == reason)
        #expect(step(record: known, local: nil, remote: nil, isComplete: false) == reason)
    }

    @Test("a server's name is the file's where every system accepts it")
    func names() throws {
        for (name, isKept) in [
            ("a.ics", true), ("ä b.ics", true), ("a.vcf", false), (".ics", false), ("..ics", false), ("aux.ics", false),
            ("a\\b.ics", false), (String(repeating: "x", count: 300) + ".ics", false),
        ] {
            let file = SyncPlan.fileName(for: base.appending(name), suffix: "ics")
            #expect((file == name) == isKept, "\(name)")
            #expect(file.hasSuffix(".ics") && file.utf8.count <= 200)
        }
    }
}

@Suite("ItemMerge")
struct ItemMergeTests {
    private func data(_ lines: String) -> Data { Data(calendar(lines).replacing("\n", with: "\r\n").utf8) }

    @Test("order, line breaks and what servers add do not matter; everything else does")
    func meaning() {
        let ours = data(
            "UID:a\nDTSTART;TZID=X;VALUE=DATE-TIME:20260302T090000\nSUMMARY:A long title that is folded\n  here")
        let theirs = Data(
            """
            BEGIN:VCALENDAR
            PRODID:-//Server//EN
            VERSION:2.0
            BEGIN:VTIMEZONE
            TZID:X
            END:VTIMEZONE
            BEGIN:VEVENT
            SUMMARY:A long title that is folded here
            DTSTAMP:20260101T000000Z
            UID:a
            DTSTART;VALUE=DATE-TIME;TZID=X:20260302T090000
            END:VEVENT
            END:VCALENDAR

            """.utf8)
        #expect(ItemMerge.isSame(ours, theirs))
        for change in [("UID:a", "UID:b"), ("T09", "T10"), ("TZID=X", "TZID=Y"), ("A long", "A short")] {
            let other = Data(String(decoding: theirs, as: UTF8.self).replacing(change.0, with: change.1).utf8)
            #expect(!ItemMerge.isSame(ours, other), "\(change)")
        }
        #expect(!ItemMerge.isSame(ours, Data("BEGIN:VCALENDAR".utf8)))
    }

    @Test("an address book that is read is also compared, however many lines it has")
    func manyLines() {
        func book(_ lines: String) -> Data {
            Data(String(repeating: "BEGIN:VCARD\n\(lines)\nEND:VCARD\n", count: 25_001).utf8)
        }
        #expect(ItemMerge.isSame(book("FN:A\nTEL:1"), book("TEL:1\nFN:A")))
    }
}
