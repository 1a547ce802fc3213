// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAssistant
import Testing

@Suite("What cards say before anything is done")
struct ActionNoticeTests {
    @Test(
        "A card says when an event reminds of itself",
        arguments: [
            (0, "when it begins"), (1, "1 minute before"), (90, "90 minutes before"), (120, "2 hours before"),
            (1440, "1 day before"),
        ])
    func reminderMinutes(minutes: Int, text: String) async throws {
        let bench = try await Bench()
        let card = try await bench.card(
            .calendar, #"{"action":"create","title":"Tea","start":"tomorrow","reminderMinutes":\#(minutes)}"#)
        #expect(card.text(in: bench.context, width: 200).contains("It reminds of itself \(text)."))
        try bench.add("Dentist", 1, 9, 10)
        let changed = try await bench.card(
            .calendar, #"{"action":"update","search":"dentist","reminderMinutes":\#(minutes)}"#, message: "m2")
        #expect(changed.plan.notices == ["It reminds of itself \(text)."])
    }

    @Test("A card says that all dates of a series change, and where conflicts were looked for")
    func seriesNotice() async throws {
        let bench = try await Bench()
        try bench.add("Standup", 0, 16, 17, every: 1, count: 5)
        let card = try await bench.card(.calendar, #"{"action":"update","search":"standup","start":"18:00"}"#)
        #expect(card.plan.scope == .occurrence && card.plan.notices.isEmpty)
        let whole = try await bench.handle(.scope(.series), card)
        #expect(
            whole.plan.notices
                == ["All dates of the series change. Conflicts were looked for on this date only."])
    }

    @Test("A card says which tags a note gets, and that its text stays")
    func tags() async throws {
        let bench = try await Bench()
        try bench.notes.add(MemoryNotes.Note(title: "Gate", body: "4711", tags: ["home"]))
        let card = try await bench.card(.note, #"{"action":"update","search":"gate","tags":["public","x"]}"#)
        #expect(card.plan.outcome?.text == "4711")
        #expect(card.plan.notices == ["Its tags will be: public, x (before: home)."])
        let new = try await bench.card(
            .note, #"{"action":"create","title":"New","body":"b","tags":["x"]}"#, message: "m2")
        #expect(new.plan.notices == ["Its tags: x."])
    }

    @Test("A card says that the text of a note goes, and nothing of a text that never was")
    func removedText() async throws {
        let bench = try await Bench()
        try bench.notes.add(MemoryNotes.Note(title: "Gate", body: "4711"))
        let card = try await bench.card(.note, #"{"action":"update","search":"gate","body":""}"#)
        #expect(card.text(in: bench.context).contains("text    (removed)"))
        let new = try await bench.card(.note, #"{"action":"create","title":"New"}"#, message: "m2")
        #expect(!new.text(in: bench.context).contains("text"))
    }

    @Test("Of more events than a text has lines for it says how many are left out")
    func manyEvents() async throws {
        let bench = try await Bench()
        for number in 0..<53 { try bench.add("Event \(number)", 1, 9, 10) }
        let card = try await bench.card(.calendar, #"{"action":"list","start":"tomorrow"}"#)
        #expect(card.text(in: bench.context).contains("… and 3 more"))
        let lines = card.textForModel(in: bench.context).split(separator: "\n")
        #expect(lines.count == 51 && lines.count { $0.contains("(id calendar:item-") } == 50)
        #expect(lines.last == "… and 3 more")
    }

    @Test("A reminder of something that recurs says that it is one")
    func recurringReminder() async throws {
        let bench = try await Bench()
        let card = try await bench.card(.reminder, #"{"title":"A","at":"every Monday at 9:00"}"#)
        #expect(card.plan.notices.count == 1)
        let once = try await bench.card(.reminder, #"{"title":"B","at":"Monday at 9:00"}"#, message: "m2")
        #expect(once.plan.notices.isEmpty)
    }
}
