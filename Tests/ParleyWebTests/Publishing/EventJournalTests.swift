// SPDX-License-Identifier: Apache-2.0

import ParleyWeb
import Testing

import struct ParleyRuntime.SplitMix64

@Suite("Journals of events")
struct EventJournalTests {
    @Test("A reader gets what came after its place, whatever was forgotten before it, and nothing else.")
    func places() {
        var random = SplitMix64(seed: 3)
        var journal = EventJournal(since: 0)
        var revisions: [Int] = []
        for number in 1...3_000 where Bool.random(using: &random) {
            journal.append(.init(revision: number, text: "\(number)"))
            revisions.append(number)
            let place = Int.random(in: 0...number, using: &random)
            let expected = revisions.filter { $0 > place }
            if let entries = journal.entries(after: place) {
                #expect(entries.map(\.revision) == expected)
                #expect(entries.map(\.text) == expected.map(String.init))
            } else {
                #expect(place < journal.forgotten && expected.count > EventJournal.most)
            }
        }
        #expect(journal.entries(after: journal.forgotten)?.count == EventJournal.most)
    }

    @Test("Large events are forgotten sooner; one alone that is too large is not kept at all.")
    func sizes() {
        var journal = EventJournal(since: 7)
        let large = String(repeating: "a", count: EventJournal.mostBytes / 4)
        for number in 8..<18 { journal.append(.init(revision: number, text: large)) }
        #expect(journal.entries(after: journal.forgotten)?.count == 4)
        #expect(journal.entries(after: 7) == nil)
        journal.append(.init(revision: 18, text: String(repeating: "a", count: EventJournal.mostBytes + 1)))
        #expect(journal.entries(after: 17) == nil)
        #expect(journal.entries(after: 18)?.isEmpty == true)
    }

    @Test("What was before a journal cannot be asked for.")
    func beginning() {
        let journal = EventJournal(since: 5)
        #expect(journal.entries(after: 4) == nil)
        #expect(journal.entries(after: 5)?.isEmpty == true)
    }
}
