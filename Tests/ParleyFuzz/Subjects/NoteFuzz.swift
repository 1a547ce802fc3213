// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyActions
import ParleyAssistant
import ParleyRuntime
import ParleyTestSupport

/// Notes with a damaged front matter, in a folder. A change that is planned is read as it was made.
struct NoteFuzz: FuzzSubject {
    static let name = "notes"

    private static let pieces = [
        "---\n", "---\r\n", "...\n", "title: ", "tags:", "tags: [a, b]\n", "aliases: [a]\n", "\n", "\r\n", "  - ", "- ",
        "[", "]", "{", "}", "&a ", "*a", "*a *a *a", ": ", "# ", "\"", "'", "|\n", ">-\n", "? ", "!!binary ", "!!str ",
        "\t", "\u{FEFF}", "é", "💧", "\\", ",", "2026-11-22", "0x7fffffffffffffff", "1e999", "~", "<<: *a\n",
        "%YAML 1.2\n",
        "\u{0}", "\u{85}", "\u{2028}",
    ].map { Array($0.utf8) }
    private static let seeds = [
        "---\ntitle: \"Gate: code\"\ntags:\n  - home # why\n  - key\naliases: [door, 'front door']\n---\n\nThe code is 4711.\n",
        "# Boiler\r\n\r\nIt drips.\r\n", "---\ntags: home, key\ncreated: 2026-11-22\n---\n# Title\n",
    ].map { Array($0.utf8) }

    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
    }

    func run(_ random: inout SplitMix64) async throws {
        var bytes = random.mutated(random.pick(Self.seeds), changes: 8, with: Self.pieces)
        if random.oneIn(100) {
            bytes = Array("---\ntags: ".utf8) + [UInt8](repeating: 0x5B, count: random.int(1...5_000))
        }
        try Data(bytes).write(to: folder.url.appending(path: "x.md"))
        let store = NoteFolder(folder.url)
        guard let note = try await store.notes(limit: 3).first else { return }
        let title = random.oneIn(2) ? "New: \"title\" # \u{2028}é" : nil
        let body = random.oneIn(2) ? "# Heading\n\n---\ntext\n" : nil
        let tags = random.oneIn(2) ? ["a b", "c: d", "[e]", "#f"] : nil
        guard let change = try? await store.update(of: note.id, title: title, body: body, tags: tags) else { return }
        try await store.apply(change)
        guard let read = try await store.note(note.id) else { throw FuzzFailure("The note is gone.") }
        guard read.title == title.map({ $0.replacing(" \u{2028}", with: " ") }) ?? note.title else {
            throw FuzzFailure("The title is \(read.title).")
        }
        if body == nil, read.body != note.body { throw FuzzFailure("The text has become \(read.body).") }
    }
}
