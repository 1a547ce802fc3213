// SPDX-License-Identifier: Apache-2.0

import ParleyAssistant
import ParleySystem

/// A note as a Markdown file: where its title, its tags and its text are, and how they are changed.
///
/// The title is that of the front matter, else the heading with which the text begins, else the name of the file. An
/// edit replaces the bytes of what it changes; all others stay.
struct NoteDocument {
    /// The bytes of the file.
    private(set) var bytes: [UInt8]
    /// The title if nothing in the file gives one: the name of the file without its suffix.
    let name: String
    /// The front matter, if there is one.
    private(set) var frontMatter: FrontMatter?
    /// The text of the heading that is the title.
    private var heading: Range<Int>?
    /// The text of the note, without blank lines around it.
    private var body = 0..<0

    /// Reads a file; nil if it is not text in UTF-8 or its relatives.
    init?(_ bytes: [UInt8], name: String) {
        guard !bytes.contains(0) else { return nil }
        (self.bytes, self.name) = (bytes, name)
        read()
    }

    private mutating func read() {
        frontMatter = FrontMatter(of: bytes)
        heading = nil
        var start = blanksSkipped(from: frontMatter?.end ?? (bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0))
        if titleEntry == nil, let line = NoteLines.line(at: start, in: bytes), let text = Self.heading(line, in: bytes)
        {
            heading = text
            start = blanksSkipped(from: line.upperBound)
        }
        body = NoteLines.trimmed(start..<bytes.count, of: bytes)
    }

    // MARK: Reading

    /// The title.
    var title: String {
        if let title = titleEntry?.title { return title }
        if let heading { return PlainText.line(String(decoding: bytes[heading], as: UTF8.self)) }
        return PlainText.line(name)
    }

    /// The text, with line feeds as line ends.
    var text: String {
        String(decoding: bytes[body], as: UTF8.self).replacing("\r\n", with: "\n")
    }

    /// The tags of the front matter.
    var tags: [String] { list("tags", "tag") }

    /// Other names of the note, by which notes link to it.
    var aliases: [String] {
        guard let entry = frontMatter?.entry("aliases", "alias") else { return [] }
        switch frontMatter?.value(of: entry, in: bytes) {
        case .list(let names, _): return names.map { PlainText.line($0) }
        case .text(let name): return name.split(separator: ",").map { PlainText.line($0) }
        default: return []
        }
    }

    private func list(_ keys: String...) -> [String] {
        let entry = keys.lazy.compactMap { frontMatter?.entry($0) }.first
        guard let entry else { return [] }
        return frontMatter?.value(of: entry, in: bytes)?.tags ?? []
    }

    /// The entry that gives the title: one with a text in it.
    private var titleEntry: (entry: FrontMatter.Entry, title: String)? {
        guard let entry = frontMatter?.entry("title"),
            let title = frontMatter?.value(of: entry, in: bytes)?.text.map({ PlainText.line($0) }), !title.isEmpty
        else { return nil }
        return (entry, title)
    }

    private func blanksSkipped(from start: Int) -> Int {
        var position = start
        while let line = NoteLines.line(at: position, in: bytes), NoteLines.trimmed(line, of: bytes).isEmpty {
            position = line.upperBound
        }
        return position
    }

    /// The text of a heading of the first level, without marks that close it; nil if the line is none.
    private static func heading(_ line: Range<Int>, in bytes: [UInt8]) -> Range<Int>? {
        var text = NoteLines.trimmed(line, of: bytes)
        guard text.count > 2, bytes[text.lowerBound] == UInt8(ascii: "#"), [32, 9].contains(bytes[text.lowerBound + 1])
        else { return nil }
        text = (text.lowerBound + 2)..<text.upperBound
        // As in Markdown, marks at the end of the line count if a space is before them.
        let unmarked = text.lowerBound..<(text.last { bytes[$0] != UInt8(ascii: "#") } ?? text.lowerBound - 1) + 1
        if unmarked.isEmpty || [32, 9].contains(bytes[unmarked.upperBound - 1]) {
            text = NoteLines.trimmed(unmarked, of: bytes)
        }
        while let first = text.first, [32, 9].contains(bytes[first]) { text = (first + 1)..<text.upperBound }
        return text.isEmpty ? nil : text
    }

    // MARK: Editing

    /// Gives the note a title, a text and tags; what is nil stays.
    ///
    /// Where the edited file would be read otherwise, as when the new text begins with a heading, the title is put into
    /// the front matter.
    ///
    /// - Throws: ``AssistantError`` with code `invalidItem` if the front matter has a value there that cannot be read.
    mutating func edit(title: String?, text: String?, tags: [String]?) throws(AssistantError) {
        let title = title.map { PlainText.line($0) }
        let wanted = (title: title ?? self.title, text: text.map(Self.normalized) ?? self.text, tags: tags ?? self.tags)
        if let tags, tags != self.tags { try set(tags: tags) }
        if let title, title != self.title { try set(title: title) }
        let untouched = self
        if wanted.text != self.text { set(text: wanted.text) }
        if self.title != wanted.title || self.text != wanted.text {
            // The text begins with what would be a title or a front matter, so there has to be one before it.
            self = untouched
            try setInFrontMatter(title: wanted.title)
            if wanted.text != self.text { set(text: wanted.text) }
        }
        guard self.title == wanted.title, self.text == wanted.text, Set(self.tags) == Set(wanted.tags) else {
            throw AssistantError(.invalidItem, "The note cannot be changed so: look at its front matter.")
        }
    }

    /// Whether the front matter has an entry of an enrichment, whoever wrote it.
    var isEnriched: Bool { frontMatter?.entry("summary", "category", "action_items") != nil }

    /// Puts an enrichment at the end of the front matter, which is created if there is none; all other bytes stay.
    ///
    /// - Throws: ``AssistantError`` with code `invalidInput` if there is one, or `invalidItem` if the note would be read
    ///   otherwise.
    mutating func enrich(_ enrichment: NoteEnrichment) throws(AssistantError) {
        guard !isEnriched else { throw AssistantError(.invalidInput, "The note has a summary.") }
        let before = self
        var lines = ["summary: \(FrontMatterValue.scalar(enrichment.summary))", "category: \(enrichment.category)"]
        if !enrichment.actionItems.isEmpty {
            lines += ["action_items:"] + enrichment.actionItems.map { "  - \(FrontMatterValue.scalar($0))" }
        }
        insert(lines.joined(separator: NoteLines.lineEnd(of: bytes)), atEnd: true)
        let isKept =
            title == before.title && text == before.text && tags == before.tags && aliases == before.aliases
            && bytes.count > before.bytes.count && isEnriched
        guard isKept else {
            self = before
            throw AssistantError(.invalidItem, "The note cannot be changed so: look at its front matter.")
        }
    }

    /// A text with line feeds as line ends and without blank lines around it.
    static func normalized(_ text: String) -> String {
        var bytes = Array(text.replacing("\r\n", with: "\n").replacing("\r", with: "\n").utf8)
        bytes.removeAll { $0 == 0 }
        var start = 0
        while let line = NoteLines.line(at: start, in: bytes), NoteLines.trimmed(line, of: bytes).isEmpty {
            start = line.upperBound
        }
        return String(decoding: bytes[NoteLines.trimmed(start..<bytes.count, of: bytes)], as: UTF8.self)
    }

    private mutating func set(text: String) {
        let lineEnd = NoteLines.lineEnd(of: bytes)
        var new = lineEnd == "\n" ? text : text.replacing("\n", with: lineEnd)
        if body.isEmpty, !text.isEmpty {
            if body.lowerBound > 0, bytes[body.lowerBound - 1] != 10 { new = lineEnd + new }
            if heading != nil,
                !bytes[..<body.lowerBound].suffix(2 * lineEnd.utf8.count).elementsEqual((lineEnd + lineEnd).utf8)
            {
                new = lineEnd + new
            }
            if body.upperBound == bytes.count { new += lineEnd }
        }
        replace(body, with: new)
    }

    private mutating func set(title: String) throws(AssistantError) {
        if titleEntry == nil, let heading {
            replace(heading, with: title)
        } else {
            try setInFrontMatter(title: title)
        }
    }

    private mutating func setInFrontMatter(title: String) throws(AssistantError) {
        let value = FrontMatterValue.scalar(title)
        guard let entry = frontMatter?.entry("title") else { return insert("title: \(value)", atEnd: false) }
        try replaceValue(of: entry, with: value)
    }

    private mutating func set(tags: [String]) throws(AssistantError) {
        let lineEnd = NoteLines.lineEnd(of: bytes)
        let scalars = tags.map(FrontMatterValue.scalar)
        guard let frontMatter, let entry = frontMatter.entry("tags", "tag") else {
            if !tags.isEmpty {
                insert((["tags:"] + scalars.map { "  - \($0)" }).joined(separator: lineEnd), atEnd: true)
            }
            return
        }
        if case .list(_, isFlow: false) = frontMatter.value(of: entry, in: bytes), !tags.isEmpty,
            let lines = frontMatter.elements(of: entry, in: bytes)
        {
            return setLines(lines, tags)
        }
        // A plain scalar may not contain what ends an element of a list in brackets; these scalars do not.
        try replaceValue(of: entry, with: "[\(scalars.joined(separator: ", "))]")
    }

    /// Removes the lines of tags that go and adds lines for new ones after the last; the others keep their bytes.
    private mutating func setLines(_ lines: [(line: Range<Int>, tag: String?)], _ tags: [String]) {
        guard let last = lines.last else { return }
        let lineEnd = NoteLines.lineEnd(of: bytes)
        let indent = String(decoding: bytes[last.line].prefix { $0 == 32 }, as: UTF8.self)
        let present = Set(lines.compactMap(\.tag))
        let new = tags.filter { !present.contains($0) }.map { indent + "- " + FrontMatterValue.scalar($0) + lineEnd }
        replace(last.line.upperBound..<last.line.upperBound, with: new.joined(), isLast: false)
        for line in lines.reversed() {
            if let tag = line.tag, !tags.contains(tag) { bytes.removeSubrange(line.line) }
        }
        read()
    }

    private mutating func replaceValue(of entry: FrontMatter.Entry, with value: String) throws(AssistantError) {
        guard let frontMatter, frontMatter.value(of: entry, in: bytes) != nil else {
            throw AssistantError(.invalidItem, "The front matter of the note has a value that cannot be read.")
        }
        var range = frontMatter.range(of: entry)
        range = (range.lowerBound + entry.value)..<NoteLines.trimmed(range, of: bytes).upperBound
        var comment = ""
        if entry.lines.count == 1, let start = FrontMatter.comment(in: bytes[range]) {
            comment = String(decoding: bytes[start..<range.upperBound], as: UTF8.self)
        }
        replace(range, with: " " + value + comment)
    }

    /// Adds lines to the front matter, which is created if there is none.
    private mutating func insert(_ lines: String, atEnd: Bool) {
        let lineEnd = NoteLines.lineEnd(of: bytes)
        let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        guard let frontMatter else {
            return replace(start..<start, with: ["---", lines, "---", ""].joined(separator: lineEnd))
        }
        let first = NoteLines.line(at: start, in: bytes)?.upperBound ?? start
        let position = atEnd ? frontMatter.closing : first
        replace(position..<position, with: lines + lineEnd)
    }

    private mutating func replace(_ range: Range<Int>, with text: String, isLast: Bool = true) {
        bytes.replaceSubrange(range, with: Array(text.utf8))
        if isLast { read() }
    }
}
