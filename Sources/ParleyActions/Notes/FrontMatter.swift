// SPDX-License-Identifier: Apache-2.0

import Foundation
import Yams

/// The YAML at the beginning of a note, between two lines `---`.
///
/// It is divided by hand into the entries of its top level, and only the entries that Parley knows are given to Yams,
/// each by itself and within bounds. So an alias cannot refer to another entry, and what Parley does not know, comments
/// included, keeps its bytes whatever it contains.
struct FrontMatter: Hashable {
    /// A key of the top level with the lines that belong to it.
    struct Entry: Hashable {
        /// The key in lower case, without quotes.
        var key: String
        /// The lines with their ends. Blank lines and comments after the value belong to no entry.
        var lines: Range<Int>
        /// Where the value begins in the first line, after the colon.
        var value: Int
    }

    /// The largest front matter that is read, in bytes; a file that begins with more has none.
    static let longest = 64 << 10
    /// The largest entry whose value is read, in bytes.
    static let longestEntry = 8 << 10

    /// The bytes of the lines between the marks, as ranges of the file.
    private(set) var lines: [Range<Int>] = []
    /// The entries in their order.
    private(set) var entries: [Entry] = []
    /// Where the lines between the marks end: the closing mark.
    private(set) var closing = 0
    /// Where the text of the note begins.
    private(set) var end = 0

    /// Finds the front matter of a file; nil if it has none.
    init?(of bytes: [UInt8]) {
        var position = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        guard let first = NoteLines.line(at: position, in: bytes), Self.isMark(bytes[first], "---") else { return nil }
        position = first.upperBound
        while let line = NoteLines.line(at: position, in: bytes) {
            if Self.isMark(bytes[line], "---") || Self.isMark(bytes[line], "...") {
                (closing, end) = (line.lowerBound, line.upperBound)
                divide(bytes)
                return
            }
            guard line.upperBound <= Self.longest else { return nil }
            lines.append(line)
            position = line.upperBound
        }
        return nil
    }

    /// The first entry with one of these keys, in the order of the keys.
    func entry(_ keys: String...) -> Entry? {
        keys.lazy.compactMap { key in entries.first { $0.key == key } }.first
    }

    /// The range of the file that an entry takes.
    func range(of entry: Entry) -> Range<Int> {
        lines[entry.lines.lowerBound].lowerBound..<lines[entry.lines.upperBound - 1].upperBound
    }

    /// The value of an entry; nil if it cannot be read, or not within the bounds.
    func value(of entry: Entry, in bytes: [UInt8]) -> FrontMatterValue? {
        let range = range(of: entry)
        guard range.count <= Self.longestEntry else { return nil }
        let text = String(decoding: bytes[range], as: UTF8.self)
        guard FrontMatterValue.isHarmless(text), let parser = try? Yams.Parser(yaml: text),
            let root = try? parser.singleRoot(), case .mapping(let mapping) = root, mapping.count == 1,
            let node = mapping.values.first
        else { return nil }
        return FrontMatterValue(node)
    }

    private mutating func divide(_ bytes: [UInt8]) {
        var last = 0
        for (number, line) in lines.enumerated() {
            let text = bytes[line]
            if let (key, value) = Self.key(of: text) {
                entries.append(Entry(key: key, lines: number..<(number + 1), value: value))
                last = number + 1
            } else if !entries.isEmpty, !Self.isBlankOrComment(text) {
                // Continued: everything since the key belongs to it, blank lines between included.
                last = number + 1
                entries[entries.count - 1].lines = entries[entries.count - 1].lines.lowerBound..<last
            }
        }
    }

    private static func isMark(_ line: ArraySlice<UInt8>, _ mark: String) -> Bool {
        var text = line
        while let byte = text.last, [10, 13, 32, 9].contains(byte) { text.removeLast() }
        return text.elementsEqual(mark.utf8)
    }

    private static func isBlankOrComment(_ line: ArraySlice<UInt8>) -> Bool {
        guard let first = line.first(where: { ![10, 13, 32, 9].contains($0) }) else { return true }
        return first == UInt8(ascii: "#")
    }

    /// The key of a line that begins an entry, and the offset of its value.
    private static func key(of line: ArraySlice<UInt8>) -> (String, Int)? {
        guard let first = line.first, ![32, 9, 10, 13].contains(first), !"#-[]{},&*!|>%@`?".utf8.contains(first) else {
            return nil
        }
        var key: ArraySlice<UInt8>
        var rest: ArraySlice<UInt8>
        if first == UInt8(ascii: "\"") || first == UInt8(ascii: "'") {
            guard let close = line.dropFirst().firstIndex(of: first) else { return nil }
            (key, rest) = (line[(line.startIndex + 1)..<close], line[(close + 1)...])
            rest = rest.drop { $0 == 32 }
        } else {
            let colon = line.indices.first { index in
                line[index] == UInt8(ascii: ":")
                    && (index + 1 == line.endIndex || [32, 9, 10, 13].contains(line[index + 1]))
            }
            guard let colon else { return nil }
            (key, rest) = (line[..<colon], line[colon...])
        }
        guard rest.first == UInt8(ascii: ":"), key.count <= 200 else { return nil }
        while key.last == 32 { key.removeLast() }
        return (String(decoding: key, as: UTF8.self).lowercased(), rest.startIndex + 1 - line.startIndex)
    }
}
