// SPDX-License-Identifier: Apache-2.0

extension FrontMatter {
    /// The lines of a list that has an element on each, with their tags; nil if the list is written otherwise.
    func elements(of entry: Entry, in bytes: [UInt8]) -> [(line: Range<Int>, tag: String?)]? {
        var found: [(Range<Int>, String?)] = []
        for line in lines[entry.lines].dropFirst() {
            let text = bytes[line].drop { $0 == 32 }
            if text.first == UInt8(ascii: "#") || NoteLines.trimmed(line, of: bytes).isEmpty { continue }
            let element = "tags:\n" + String(decoding: bytes[line], as: UTF8.self)
            guard text.first == UInt8(ascii: "-"), text.count > 2,
                let one = FrontMatter(of: Array("---\n\(element)\n---\n".utf8)),
                let entry = one.entry("tags"),
                case .list(let texts, isFlow: false) = one.value(of: entry, in: Array("---\n\(element)\n---\n".utf8)),
                texts.count <= 1
            else { return nil }
            found.append((line, FrontMatterValue.list(texts, isFlow: false).tags.first))
        }
        return found.isEmpty ? nil : found
    }

    /// Where the comment after a value on one line begins, with the space before it; nil if there is none.
    static func comment(in value: ArraySlice<UInt8>) -> Int? {
        var quote: UInt8?
        var index = value.startIndex
        var isFirst = true
        while index < value.endIndex {
            let byte = value[index]
            if let open = quote {
                if byte == UInt8(ascii: "\\"), open == UInt8(ascii: "\"") { index += 1 }
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "#"), index > value.startIndex, [32, 9].contains(value[index - 1]) {
                while index > value.startIndex, [32, 9].contains(value[index - 1]) { index -= 1 }
                return index
            } else if [UInt8(ascii: "\""), UInt8(ascii: "'")].contains(byte), isFirst {
                quote = byte
            }
            // Within a plain scalar quotes have no meaning; in brackets they begin after these marks.
            if ![32, 9].contains(byte) { isFirst = "[,{".utf8.contains(byte) }
            index += 1
        }
        return nil
    }
}
