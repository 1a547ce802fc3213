// SPDX-License-Identifier: Apache-2.0

import ParleySystem

/// Writes Markdown block by block: what is written in a line is kept back until its block ends.
struct MarkdownWriter {
    private var output = ""
    private var line = ""
    private var isAfterSpace = true
    private var marks = PlainText.Marks()
    private var heading = 0
    /// What each line begins with, for each open list item and quote.
    private var prefixes: [String] = []
    /// The mark of a list item that has no text yet, in place of its prefix.
    private var mark: String?
    private var lists = 0
    /// Whether the next block is the first of a list that is in no other.
    private var isFirstItem = false
    private var code: String?
    private var link: (start: Int, address: String)?
    private var hasInlineCode = false
    private var table: Table?

    private struct Table {
        var rows: [[String]] = []
        var cell: String?
        var count = 0
    }

    private static let mostPrefixes = 12
    private static let mostRows = 500
    private static let mostCells = 30

    /// How many bytes were written, about.
    var bytes: Int { output.utf8.count + line.utf8.count + (code?.utf8.count ?? 0) + (table?.count ?? 0) }

    /// Adds text; runs of white space count as one space, except in code, and what nobody sees is left out.
    mutating func text(_ text: String) {
        if code != nil {
            code? += PlainText.clean(text)
            return
        }
        for scalar in text.unicodeScalars {
            if scalar.properties.isWhitespace {
                if !isAfterSpace { line.unicodeScalars.append(" ") }
                isAfterSpace = true
                marks.isSeen(" ")
            } else if marks.isSeen(scalar) {
                line.unicodeScalars.append(scalar)
                isAfterSpace = false
            }
        }
    }

    /// Ends the paragraph, heading or line.
    mutating func endBlock() {
        if code != nil { return }
        endLink()
        if hasInlineCode { toggleInlineCode() }
        while line.last == " " || line.last == "\n" { line.removeLast() }
        defer { (line, isAfterSpace, heading) = ("", true, 0) }
        if line.isEmpty { return }
        if table?.cell != nil {
            // A cell is one line.
            let separator = table?.cell?.isEmpty == true ? "" : " "
            table?.cell?.append(separator + line)
            return
        }
        let text = heading > 0 ? String(repeating: "#", count: heading) + " " + line : line
        write(text, isTight: mark != nil && !isFirstItem)
    }

    mutating func beginHeading(_ level: Int) { heading = level }

    mutating func lineBreak() {
        if code != nil {
            code? += "\n"
            return
        }
        while line.last == " " { line.removeLast() }
        if !line.isEmpty { line += table?.cell == nil ? "\n" : " " }
        isAfterSpace = true
    }

    mutating func rule() {
        endBlock()
        if table == nil { write("---", isTight: false) }
    }

    // MARK: Lists and quotes

    mutating func beginList() {
        isFirstItem = lists == 0
        lists += 1
    }

    mutating func endList() {
        endBlock()
        lists = max(lists - 1, 0)
    }

    mutating func beginItem(_ marker: String) {
        prefixes.append(String(repeating: " ", count: marker.utf8.count))
        mark = marker
    }

    mutating func endItem() {
        endBlock()
        if !prefixes.isEmpty { prefixes.removeLast() }
        mark = nil
    }

    mutating func beginQuote() { prefixes.append("> ") }

    mutating func endQuote() {
        endBlock()
        if !prefixes.isEmpty { prefixes.removeLast() }
    }

    // MARK: Code and links

    mutating func beginCode() { if code == nil, table?.cell == nil { code = "" } }

    mutating func endCode() {
        guard var text = code else { return endBlock() }
        code = nil
        if text.first == "\n" { text.removeFirst() }
        while text.last?.isNewline == true { text.removeLast() }
        if text.isEmpty { return }
        var longest = 0
        var run = 0
        for byte in text.utf8 {
            run = byte == UInt8(ascii: "`") ? run + 1 : 0
            longest = max(longest, run)
        }
        let fence = String(repeating: "`", count: min(max(longest + 1, 3), 100))
        write("\(fence)\n\(text)\n\(fence)", isTight: false)
    }

    mutating func toggleInlineCode() {
        if code != nil { return }
        hasInlineCode.toggle()
        line += "`"
        isAfterSpace = false
    }

    mutating func beginLink(_ address: String?) {
        endLink()
        if let address, code == nil { link = (line.utf8.count, address) }
    }

    mutating func endLink() {
        guard let (start, address) = link else { return }
        link = nil
        let index = line.utf8.index(line.startIndex, offsetBy: min(start, line.utf8.count))
        let text = line[index...]
        let words = text.filter { $0 != "[" && $0 != "]" && $0 != "\n" }.trimmingPrefix(while: \.isWhitespace)
        if words.isEmpty { return }
        let isSpaced = text.first == " "
        line.replaceSubrange(index..., with: (isSpaced ? " " : "") + "[\(words)](\(address))")
        isAfterSpace = false
    }

    // MARK: Tables

    mutating func beginTable() {
        endBlock()
        if table != nil {
            // A table in a cell shows that the outer one only arranges the page.
            if let outer = table {
                table = nil
                for row in outer.rows { write(row.filter { !$0.isEmpty }.joined(separator: " "), isTight: false) }
                if let cell = outer.cell { write(cell, isTight: false) }
            }
        }
        table = Table()
    }

    mutating func beginRow() {
        if let rows = table?.rows, rows.count < Self.mostRows { table?.rows.append([]) }
    }

    mutating func beginCell() {
        guard table != nil else { return }
        if table?.rows.isEmpty == true { table?.rows.append([]) }
        table?.cell = ""
    }

    mutating func endCell() {
        endBlock()
        guard let cell = table?.cell, let last = table?.rows.indices.last else { return }
        table?.cell = nil
        if let count = table?.rows[last].count, count < Self.mostCells { table?.rows[last].append(cell) }
        table?.count += cell.utf8.count
    }

    mutating func endTable() {
        endBlock()
        guard let done = table else { return }
        table = nil
        let rows = done.rows.filter { row in row.contains { !$0.isEmpty } }
        let width = rows.map(\.count).max() ?? 0
        guard width > 1 else {
            for row in rows { write(row.joined(separator: " "), isTight: false) }
            return
        }
        var lines: [String] = []
        for (index, row) in rows.enumerated() {
            let cells = row.map { $0.replacing("|", with: "\\|").replacing("\n", with: " ") }
            let all = cells + [String](repeating: "", count: width - cells.count)
            lines.append("| " + all.joined(separator: " | ") + " |")
            if index == 0 { lines.append("|" + String(repeating: " --- |", count: width)) }
        }
        write(lines.joined(separator: "\n"), isTight: false)
    }

    // MARK: Output

    /// The text, with everything that is still open ended.
    mutating func finish() -> String {
        if code != nil { endCode() }
        if table != nil { endCell() }
        endTable()
        endBlock()
        return output
    }

    /// Writes a block with what the lists and quotes around it put before its lines.
    private mutating func write(_ text: String, isTight: Bool) {
        if text.isEmpty { return }
        let outer = prefixes.prefix(Self.mostPrefixes).joined()
        let first = mark.map { prefixes.dropLast().prefix(Self.mostPrefixes - 1).joined() + $0 } ?? outer
        if !output.isEmpty { output += isTight ? "\n" : "\n\n" }
        var isFirst = true
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if !isFirst { output += "\n" }
            output += isFirst ? first : outer
            output += line
            isFirst = false
        }
        (mark, isFirstItem) = (nil, false)
    }
}
