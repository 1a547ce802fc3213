// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyActions
import ParleyAssistant
import ParleyCalendar
import ParleyTestSupport
import Testing

import struct ParleyRuntime.SplitMix64

@Suite("Notes, habits and contacts of random bytes")
struct DamagedFileTests {
    /// Pieces that mean something to one of the readers.
    private static let pieces = [
        "---\n", "---\r\n", "...\n", "title: ", "tags:", "\n", "\r\n", "  - ", "- ", "[", "]", "{", "}", "&a ", "*a",
        ": ",
        "# ", "\"", "'", "|\n", ">-\n", "? ", "!!binary ", "\t", "\u{FEFF}", "é", "💧", "x", "aliases: [a]\n", "\\", ",",
        "2026-11-22", " 1", "2026-02-30 1\n", "# name: x\n", "# unit: count\n", "9e99", "BEGIN:VCARD\n", "END:VCARD\n",
        "FN:Anna\n", "N:a;b;c;d;e\n", "TEL;TYPE=", "EMAIL:", "item1.", "X-ABLabel:", ";", "=", "=C3=BC", "=\n",
        "ENCODING=QUOTED-PRINTABLE:", "CHARSET=x", "\n ", "PREF=1", "\0", "%", "@",
    ]

    private static func random(_ generator: inout SplitMix64) -> Data {
        var data = Data()
        for _ in 0..<Int.random(in: 0...40, using: &generator) {
            if Int.random(in: 0..<20, using: &generator) == 0 {
                data.append(UInt8.random(in: 0...255, using: &generator))
            } else {
                data.append(contentsOf: Data(pieces.randomElement(using: &generator)?.utf8 ?? "".utf8))
            }
        }
        // Most are notes with a front matter and cards with a beginning and an end.
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: return Data("---\n".utf8) + data + Data("\n---\nText".utf8)
        case 1: return Data("BEGIN:VCARD\n".utf8) + data + Data("\nEND:VCARD\n".utf8)
        default: return data
        }
    }

    @Test("nothing crashes, an edit is read as it was made, and the rest of the file stays")
    func files() async throws {
        let directory = try TemporaryDirectory()
        let notes = NoteFolder(directory.url)
        let habits = HabitFolder(directory.url)
        let contacts = ContactBook(folder: directory.url)
        let (note, habit) = (
            StoreItem.ID(store: "notes", path: "x.md"), StoreItem.ID(store: "habits", path: "x.txt")
        )
        let day = try #require(CivilDate(year: 2026, month: 11, day: 22))
        var generator = SplitMix64(seed: 13)
        var (edited, refused, recorded) = (0, 0, 0)
        for number in 0..<1000 {
            let data = Self.random(&generator)
            for name in ["x.md", "x.txt", "x.vcf"] { try data.write(to: directory.url.appending(path: name)) }
            _ = try await contacts.contacts(matching: "anna", limit: 5)
            if let before = try await notes.notes(limit: 5).first {
                do {
                    let tags = Bool.random(using: &generator) ? ["new tag", "b: c"] : nil
                    let body = Bool.random(using: &generator) ? "# New\n\ntext" : nil
                    let title = Bool.random(using: &generator) ? "New: title" : nil
                    let change = try await notes.update(of: note, title: title, body: body, tags: tags)
                    try write(change, to: "x.md", in: directory)
                    let after = try #require(try await notes.note(note))
                    #expect(after.title == title ?? before.title, "case \(number)")
                    #expect(after.body == body ?? before.body, "case \(number)")
                    #expect(after.tags == tags ?? before.tags, "case \(number)")
                    edited += 1
                } catch let error as AssistantError {
                    #expect(error.code == .invalidItem, "case \(number)")
                    refused += 1
                }
            }
            guard let before = try await habits.habits().first else { continue }
            let change = try await habits.recording(3, of: habit, on: day)
            try write(change, to: "x.txt", in: directory)
            let after = try #require(try await habits.habits().first)
            var values = before.values
            values[day] = 3
            #expect(after.values == values && after.name == before.name, "case \(number)")
            recorded += 1
        }
        #expect(edited > 400 && refused > 10 && recorded > 400, "\(edited), \(refused), \(recorded)")
    }

    /// Writes without the store's waiting for the disk, which the files of the other tests have.
    private func write(_ change: Change<StoreItem>, to name: String, in directory: TemporaryDirectory) throws {
        try #require(change.after).content.write(to: directory.url.appending(path: name))
    }
}
