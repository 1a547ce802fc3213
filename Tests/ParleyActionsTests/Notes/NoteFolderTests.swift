// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyActions
import ParleyAssistant
import ParleyTestSupport
import Testing

@Suite("Notes in a folder")
struct NoteFolderTests {
    private let directory: TemporaryDirectory
    private let folder: NoteFolder

    init() throws {
        directory = try TemporaryDirectory()
        folder = NoteFolder(directory.url.appending(path: "vault"), limit: 100_000)
    }

    private func write(_ text: String, _ path: String, age: Double = 0) throws {
        let file = folder.folder.appending(path: path)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
        let date = Date(timeIntervalSince1970: 1_800_000_000 - age)
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: file.path)
    }

    private func id(_ path: String) -> StoreItem.ID { StoreItem.ID(store: "notes", path: path) }

    private func text(_ path: String) throws -> String {
        String(decoding: try Data(contentsOf: folder.folder.appending(path: path)), as: UTF8.self)
    }

    @Test(
        "an enrichment goes into the front matter alone; every byte of the rest stays, and the inverse restores the file",
        arguments: [
            "Just text\n", "# A heading\n\nText\n\n\n", "---\ntags: [one]\n# kept\n---\n\nText  \n",
            "---\r\ntitle: T\r\naliases:\r\n- Other\r\n---\r\n\r\nText\r\n", "---\nnot closed\n", "\u{FEFF}# BOM\nText",
            "---\nodd: {a: [b}\n---\nText",
        ])
    func enrichment(_ note: String) async throws {
        try write(note, "N.md")
        let before = try #require(try await folder.note(id("N.md")))
        #expect(!before.isEnriched)
        let change = try await folder.enrichment(
            of: id("N.md"),
            with: NoteEnrichment(
                summary: #"Yes: "all" # of it"#, actionItems: ["- [ ] Call: Tom", "true"], category: .home))
        try await folder.apply(change)
        let after = try #require(try await folder.note(id("N.md")))
        #expect(after.isEnriched && after.title == before.title && after.body == before.body)
        #expect(after.tags == before.tags && after.aliases == before.aliases)
        // What was added is one piece; without it the file is what it was.
        let (old, new) = (Array(note.utf8), Array(try text("N.md").utf8))
        let head = zip(old, new).prefix { $0 == $1 }.count
        #expect(new.suffix(old.count - head).elementsEqual(old.dropFirst(head)) || note.hasPrefix("---"))
        #expect(try text("N.md").contains(#"summary: "Yes: \"all\" # of it""#))
        await #expect(throws: AssistantError.self) {
            try await folder.enrichment(of: id("N.md"), with: NoteEnrichment(summary: "Again"))
        }
        try await folder.apply(change.inverse)
        #expect(try text("N.md") == note)
    }

    @Test("a vault is read as it is, the newest note first")
    func vault() async throws {
        try write("{}", ".obsidian/app.md")
        try write("Just text with #inline", "Plain.md", age: 10)
        try write("\n# A heading\n\nText\n\n", "daily/2026-11-22.md", age: 20)
        try write("---\ntags: [one, \"#two words\"]\naliases:\n- Other\n---\nText", "a/b/Flow.md", age: 30)
        try write("---\r\nTitle: 'It''s'\r\ntags:\r\n  - one\r\n  - 2\r\n---\r\n\r\n# Not it\r\n", "Block.md", age: 40)
        try write("---\ntags: one, two\n---", "Commas.md", age: 50)
        try write("---\ntag: \"#one two\"\n---\n\n", "Spaces.md", age: 60)
        let notes = try await folder.notes(limit: 100)
        #expect(notes.map(\.title) == ["Plain", "A heading", "Flow", "It's", "Commas", "Spaces"])
        #expect(notes.map(\.body) == ["Just text with #inline", "Text", "Text", "# Not it", "", ""])
        #expect(notes.map(\.tags) == [[], [], ["one", "two words"], ["one", "2"], ["one", "two"], ["one", "two"]])
        #expect(notes[2].aliases == ["Other"] && notes[2].id.path == "a/b/Flow.md")
        #expect(notes[0].changed == Date(timeIntervalSince1970: 1_799_999_990))
        #expect(try await folder.notes(limit: 2).map(\.title) == ["Plain", "A heading"])
        #expect(try await folder.note(id("Plain.md")) == notes[0])
        #expect(try await folder.note(id("None.md")) == nil)
    }

    @Test("a line with a mark and a space is the heading, and a tag that is written so is the tag")
    func marks() async throws {
        try write("---\ntags: [\"# work\"]\n---\n# work\n\nText", "a.md")
        try write("# C# and more #\n", "b.md", age: 1)
        try write("# #\n", "c.md", age: 2)
        let notes = try await folder.notes(limit: 3)
        #expect(notes.map(\.title) == ["work", "C# and more", "c"])
        #expect(notes.map(\.body) == ["Text", "", "# #"])
        #expect(notes[0].tags == ["work"])
        let change = try await folder.update(of: id("a.md"), title: nil, body: nil, tags: ["# home", "#", "work"])
        try await folder.apply(change)
        #expect(try await folder.note(id("a.md"))?.tags == ["home", "work"])
        #expect(try text("a.md") == "---\ntags: [home, work]\n---\n# work\n\nText")
    }

    @Test("there is an end to the number of notes and to their size, and links out of the folder are no notes")
    func bounds() async throws {
        for number in 0..<505 { try write("x", "n\(number).md") }
        try write(String(repeating: "x", count: 100_001), "Large.md")
        try write("secret", "../outside.md")
        try FileManager.default.createSymbolicLink(
            at: folder.folder.appending(path: "link.md"),
            withDestinationURL: directory.url.appending(path: "outside.md"))
        let notes = try await folder.notes(limit: 1000)
        #expect(notes.count == 500)
        #expect(!notes.contains { $0.body == "secret" || $0.title == "Large" })
    }

    @Test("links to folders are not followed, in a circle or out of the vault")
    func circles() async throws {
        try write("x", "a/b/n.md")
        try write("y", "../other/o.md")
        for (name, target) in [("a/circle", "vault"), ("a/b/twice", "vault"), ("a/out", "other"), ("a/all", "/")] {
            let target = target == "/" ? URL(filePath: target) : directory.url.appending(path: target)
            try FileManager.default.createSymbolicLink(
                at: folder.folder.appending(path: name), withDestinationURL: target)
        }
        #expect(try await folder.notes(limit: 10).map(\.id.path) == ["a/b/n.md"])
    }

    @Test("a note of four megabytes is read and edited where the bound allows it")
    func large() async throws {
        let folder = NoteFolder(folder.folder, limit: 5 << 20)
        for (number, text) in [
            "---\n" + String(repeating: "x: [a, b]\n", count: 400_000), String(repeating: "\n", count: 4 << 20),
            "---\ntags:\n" + String(repeating: "- a\n", count: 15_000) + "---\n"
                + String(repeating: "é\r\n", count: 1 << 20),
            "# " + String(repeating: "x", count: 4 << 20),
        ].enumerated() {
            try write(text, "large.md")
            let change = try await folder.update(of: id("large.md"), title: "New", body: nil, tags: nil)
            try await folder.apply(change)
            let note = try #require(try await folder.note(id("large.md")))
            #expect(note.title == "New", "case \(number)")
        }
    }

    @Test(
        "a new note has a safe name of its own",
        arguments: [
            ("Shopping", "Shopping.md"), ("a/b: \"c\"?", "a b c.md"), ("../../etc", "etc.md"), ("CON", "Note CON.md"),
            ("...", "Note.md"), ("Ünïcode 💧", "Ünïcode 💧.md"), ("[[link]] #tag", "link tag.md"),
            ("taken", "taken 2.md"),
            (String(repeating: "ä", count: 300), String(repeating: "ä", count: 75) + ".md"), ("x\ny", "x y.md"),
        ])
    func names(title: String, file: String) async throws {
        try write("theirs", "TAKEN.md")
        let change = try await folder.creation(title: title, body: "Text", tags: [])
        #expect(change.before == nil && change.after?.id.path == file)
        try await folder.apply(change)
        let note = try #require(try await folder.note(id(file)))
        #expect(note.title == title.replacing("\n", with: " ") && note.body == "Text")
        #expect(try text("TAKEN.md") == "theirs")
    }

    @Test(
        "a new note is read as it was given",
        arguments: [
            ("Plain", "Text", [], "Text\n"),
            ("Milk", "one\n\ntwo\n", ["home", "#to do"], "---\ntags:\n  - home\n  - to do\n---\none\n\ntwo\n"),
            ("Yes: no", "", [], "---\ntitle: \"Yes: no\"\n---\n"), ("Empty", "", [], ""),
            ("A", "# B\n\nText", [], "---\ntitle: A\n---\n# B\n\nText\n"),
            ("A", "---\nx: y\n---\nz", [], "---\ntitle: A\n---\n---\nx: y\n---\nz\n"),
            (
                "true/1", "t", ["1", "true", "a: b"],
                "---\ntitle: true/1\ntags:\n  - \"1\"\n  - \"true\"\n  - \"a: b\"\n---\nt\n"
            ),
        ] as [(String, String, [String], String)])
    func creation(title: String, body: String, tags: [String], file: String) async throws {
        let change = try await folder.creation(title: title, body: body, tags: tags)
        let item = try #require(change.after)
        #expect(String(decoding: item.content, as: UTF8.self) == file)
        try await folder.apply(change)
        let note = try #require(try await folder.note(item.id))
        #expect(note.title == title && note.tags == tags.map { $0.replacing("#", with: "") })
        #expect(note.body + "\n" == body || note.body == body)
    }

    /// What an update makes of a file.
    struct Edit: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var before: String
        var title: String?
        var body: String?
        var tags: [String]?
        var after: String
    }

    static let edits = [
        Edit(
            testDescription: "the title of the front matter",
            before: "---\n# c\ntitle: Old # why\nx: {a: [1]}\n---\n\n\nText\n\n",
            title: "New: 1", after: "---\n# c\ntitle: \"New: 1\" # why\nx: {a: [1]}\n---\n\n\nText\n\n"),
        Edit(
            testDescription: "a title over several lines", before: "---\ntitle: >-\n  Old\n  one\n\nx: y\n---\nText",
            title: "New", after: "---\ntitle: New\n\nx: y\n---\nText"),
        Edit(
            testDescription: "a quoted title", before: "---\r\n\"title\": 'a # b' #c\r\n---\r\nText\r\n", title: "d",
            after: "---\r\n\"title\": d #c\r\n---\r\nText\r\n"),
        Edit(
            testDescription: "the title of a heading", before: "\u{FEFF}#  Old  \r\n\r\nText", title: "New",
            after: "\u{FEFF}#  New  \r\n\r\nText"),
        Edit(
            testDescription: "the title of a heading that is closed", before: "# Old C# ##\n\nText", title: "New",
            after: "# New ##\n\nText"),
        Edit(
            testDescription: "the title of a file without one", before: "Text\r\nx\r\n", title: "New",
            after: "---\r\ntitle: New\r\n---\r\nText\r\nx\r\n"),
        Edit(
            testDescription: "the text", before: "---\nodd line\n&a *b: !!x\n---\n# T\n\nOld\n\n\n",
            body: "New\nlines\n\n",
            after: "---\nodd line\n&a *b: !!x\n---\n# T\n\nNew\nlines\n\n\n"),
        Edit(
            testDescription: "the text with its line ends", before: "# T\r\n\r\nOld\r\n", body: "a\nb",
            after: "# T\r\n\r\na\r\nb\r\n"),
        Edit(testDescription: "a first text", before: "# T", body: "a", after: "# T\n\na\n"),
        Edit(testDescription: "no text any more", before: "# T\n\nOld\n", body: "", after: "# T\n\n\n"),
        Edit(
            testDescription: "a text that would be a title", before: "Old\n", body: "# H\nx",
            after: "---\ntitle: note\n---\n# H\nx\n"),
        Edit(
            testDescription: "tags on lines",
            before: "---\ntags: # mine\n - a # first\n # between\n - \"b\"\n - c\nx: 1\n---\n",
            tags: ["a", "c", "d e"],
            after: "---\ntags: # mine\n - a # first\n # between\n - c\n - d e\nx: 1\n---\n"),
        Edit(
            testDescription: "tags in brackets", before: "---\ntags: [a, b] # c\n---\n", tags: ["b", "x: y"],
            after: "---\ntags: [b, \"x: y\"] # c\n---\n"),
        Edit(
            testDescription: "tags over lines in brackets", before: "---\ntags: [\n  a,\n  b\n]\nx: y\n---\n",
            tags: ["b"],
            after: "---\ntags: [b]\nx: y\n---\n"),
        Edit(
            testDescription: "tags in a text", before: "---\ntags: a, b\n---\n", tags: ["b"],
            after: "---\ntags: [b]\n---\n"),
        Edit(
            testDescription: "first tags", before: "---\nx: y\n...\nText", tags: ["b"],
            after: "---\nx: y\ntags:\n  - b\n...\nText"),
        Edit(
            testDescription: "no tags any more", before: "---\ntags:\n- a\n- b\n---\nText", tags: [],
            after: "---\ntags: []\n---\nText"),
        Edit(
            testDescription: "everything", before: "", title: "T", body: "B", tags: ["t"],
            after: "---\ntitle: T\ntags:\n  - t\n---\nB\n"),
        Edit(testDescription: "nothing", before: "---\ntitle: >\n  x\n---\n\n", after: "---\ntitle: >\n  x\n---\n\n"),
        Edit(
            testDescription: "the same again", before: "---\ntags: a,b\n---\n# T \n\nx\r\n", title: "T", body: "x",
            tags: ["a", "b"], after: "---\ntags: a,b\n---\n# T \n\nx\r\n"),
    ]

    @Test("an update changes what is asked and no other byte", arguments: edits)
    func update(edit: Edit) async throws {
        try write(edit.before, "note.md")
        let change = try await folder.update(of: id("note.md"), title: edit.title, body: edit.body, tags: edit.tags)
        #expect(change.after.map { String(decoding: $0.content, as: UTF8.self) } == edit.after)
        try await folder.apply(change)
        let note = try #require(try await folder.note(id("note.md")))
        if let title = edit.title { #expect(note.title == title) }
        if let tags = edit.tags { #expect(note.tags == tags) }
        try await folder.apply(change.inverse)
        #expect(try text("note.md") == edit.before)
    }

    @Test("bytes that are not UTF-8 survive an update")
    func bytes() async throws {
        try write("", "note.md")
        let before = Data("---\nx: ".utf8) + [0xFF, 0xFE] + Data("\n---\nText".utf8)
        try before.write(to: folder.folder.appending(path: "note.md"))
        let change = try await folder.update(of: id("note.md"), title: "T", body: nil, tags: nil)
        let after = Data("---\ntitle: T\nx: ".utf8) + [0xFF, 0xFE] + Data("\n---\nText".utf8)
        #expect(change.after?.content == after)
    }

    @Test(
        "a front matter that is hostile is neither followed nor changed",
        arguments: [
            "title: [" + String(repeating: "[", count: 4000),
            "title: " + String(repeating: "{a: ", count: 1000) + "x" + String(repeating: "}", count: 1000),
            "title:\n"
                + (1...200).map { String(repeating: " ", count: $0) + "- - - - - - - -" }.joined(separator: "\n"),
            "title: [&a [x,x], &b [*a,*a], &c [*b,*b], {*c : 1}]",
            "a: &a [x,x,x]\nb: &b [*a,*a]\ntitle: *b", "title: &a [*a]", "title: !!binary \"\u{1}\"", "title: \"",
            "title: {? *x : y}", "title: " + String(repeating: "x", count: 9000), "title: %", "title: @x\ntitle: y",
            "title: |\n  a\n b\n   c", "title: {a: b}", "title: [[a]]",
        ])
    func hostile(lines: String) async throws {
        try write("---\n\(lines)\n---\nText", "note.md")
        let note = try #require(try await folder.note(id("note.md")))
        #expect(note.title == "note" && note.body == "Text")
        let error = await #expect(throws: AssistantError.self) {
            try await folder.update(of: id("note.md"), title: "New", body: nil, tags: nil)
        }
        #expect(error?.code == .invalidItem)
        let change = try await folder.update(of: id("note.md"), title: nil, body: "New", tags: nil)
        #expect(change.after?.content == Data("---\n\(lines)\n---\nNew".utf8))
    }

    @Test("a front matter that does not end is text")
    func open() async throws {
        try write("---\ntitle: x\n\nText", "note.md")
        let note = try #require(try await folder.note(id("note.md")))
        #expect(note.title == "note" && note.body == "---\ntitle: x\n\nText")
        try write("---\n" + String(repeating: "x: y\n", count: 15_000) + "---\n", "note.md")
        #expect(try await folder.note(id("note.md"))?.title == "note")
    }

    @Test("what is not there or is no text has its error")
    func errors() async throws {
        try write("a\0b", "binary.md")
        let codes: [(AssistantError.Code, @Sendable (NoteFolder) async throws -> Void)] = [
            (
                .itemNotFound,
                {
                    _ = try await $0.update(
                        of: StoreItem.ID(store: "notes", path: "x.md"), title: "a", body: nil, tags: nil)
                }
            ),
            (.itemNotFound, { _ = try await $0.deletion(of: StoreItem.ID(store: "notes", path: "x.md")) }),
            (.invalidItem, { _ = try await $0.note(StoreItem.ID(store: "notes", path: "binary.md")) }),
            (.invalidInput, { _ = try await $0.creation(title: " \n", body: "x", tags: []) }),
            (.invalidInput, { _ = try await $0.note(StoreItem.ID(store: "notes", path: "../x.md")) }),
        ]
        for (code, work) in codes {
            let error = await #expect(throws: AssistantError.self) { try await work(folder) }
            #expect(error?.code == code)
        }
        #expect(try await folder.notes(limit: 10).isEmpty)
        let deletion = try await folder.deletion(of: id("binary.md"))
        try await folder.apply(deletion)
        #expect(try await folder.item(id("binary.md")) == nil)
    }
}
