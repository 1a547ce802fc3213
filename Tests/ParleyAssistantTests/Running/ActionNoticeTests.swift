// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAssistant
import ParleyConversation
import ParleyJSON
import Synchronization
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

    @Test("A card offers no keys where nobody can press one, and still tells what takes it back")
    func keys() async throws {
        let bench = try await Bench()
        try bench.add("Dentist", 1, 9, 10)
        let asks = try await bench.card(.calendar, #"{"action":"delete","search":"dentist"}"#)
        let malformed = try await bench.card(.calendar, #"{"action":"fly"}"#, message: "m2")
        for (card, key) in [(asks, "[y]"), (malformed, "[e]")] {
            #expect(card.text(in: bench.context).contains(key))
            #expect(!card.text(in: bench.context, width: 60, isAsked: false).contains("["))
        }
        let done = try await bench.card(.note, #"{"action":"create","title":"New"}"#, message: "m3")
        #expect(done.text(in: bench.context, width: 60, isAsked: false).contains("[u]"))
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

    @Test("A search that asks shows all of its words, and sends them and nothing that nobody sees")
    func longQuery() async throws {
        let bench = try await Bench()
        let words = Array(repeating: "weather", count: 12).joined(separator: " ") + " hunter2"
        let card = try await bench.card(
            .webSearch, #"{"query":"\#(words)\#u{E0068}\#u{E0069}"}"#, untrusted: true)
        #expect(card.text(in: bench.context, width: 200).contains("query: \(words)"))
        let expected: JSONValue = [["name": "query", "value": .string(words)]]
        #expect(card.json(in: bench.context)["arguments"] == expected)
        _ = try await bench.handle(.confirm, card)
        #expect(bench.web.queries.withLock { $0 } == [words])
        let short = try await bench.card(.webSearch, #"{"query":"tea"}"#, message: "m2", untrusted: true)
        #expect(short.arguments.isEmpty)
        let hidden = try await bench.card(.webSearch, "{\"query\":\"\u{E0068}\"}", message: "m3", untrusted: true)
        #expect(hidden.stage == .malformed)
    }

    @Test("What a tool is called with is on its card, and so is that there is more than anybody sees")
    func toolArguments() throws {
        let call = FunctionCall(
            id: "1", name: "files__read", arguments: ["path": "/a\r\nb", "to": "c\u{E0068}", "lines": [1, 2]])
        let card = ActionCard(
            call, of: ToolName(server: "files", tool: "read"), origin: ActionOrigin(chat: "c", message: "m", index: 0),
            context: try DateResolverTests.context(), readsUntrusted: true)
        #expect(card.arguments.map(\.name) == ["path", "to", "lines"])
        #expect(card.arguments.map(\.value) == ["/a b", "c (and characters that nobody sees)", "[1,2]"])
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
