// SPDX-License-Identifier: Apache-2.0

/// Finds tags of HTML in text (CommonMark 0.31, section 6.6), in linear time.
struct RawHTML {
    /// The kinds of which it is known that none ends behind the place where one was looked for.
    private var unclosed: Set<UInt8> = []

    /// The index behind a tag, comment, instruction, declaration or section.
    mutating func end(in bytes: [UInt8], at start: Int) -> Int? {
        guard start + 1 < bytes.count, bytes[start] == UInt8(ascii: "<") else { return nil }
        switch bytes[start + 1] {
        case UInt8(ascii: "/"): return Self.closingTag(bytes, start)
        case UInt8(ascii: "?"): return find("?>", in: bytes, from: start + 2, kind: 1)
        case UInt8(ascii: "!"):
            if bytes.has("<!-->", at: start) { return start + 5 }
            if bytes.has("<!--->", at: start) { return start + 6 }
            if bytes.has("<!--", at: start) { return find("-->", in: bytes, from: start + 4, kind: 2) }
            if bytes.has("<![CDATA[", at: start) { return find("]]>", in: bytes, from: start + 9, kind: 3) }
            guard start + 2 < bytes.count, bytes[start + 2].isLetter else { return nil }
            return find(">", in: bytes, from: start + 3, kind: 4)
        default: return Self.openTag(bytes, start)
        }
    }

    private mutating func find(_ text: StaticString, in bytes: [UInt8], from start: Int, kind: UInt8) -> Int? {
        guard !unclosed.contains(kind) else { return nil }
        var index = start
        while index < bytes.count {
            if bytes[index] == text.utf8Start[0], bytes.has(text, at: index) {
                return index + text.utf8CodeUnitCount
            }
            index += 1
        }
        unclosed.insert(kind)
        return nil
    }

    private static func closingTag(_ bytes: [UInt8], _ start: Int) -> Int? {
        guard start + 2 < bytes.count, bytes[start + 2].isLetter else { return nil }
        var index = bytes.end(from: start + 3) { $0.isAlphanumeric || $0 == UInt8(ascii: "-") }
        index = bytes.end(from: index) { $0.isSpace }
        return index < bytes.count && bytes[index] == UInt8(ascii: ">") ? index + 1 : nil
    }

    /// The index behind an opening tag.
    static func openTag(_ bytes: [UInt8], _ start: Int) -> Int? {
        guard start + 1 < bytes.count, bytes[start + 1].isLetter else { return nil }
        var index = bytes.end(from: start + 2) { $0.isAlphanumeric || $0 == UInt8(ascii: "-") }
        while true {
            let next = bytes.end(from: index) { $0.isSpace }
            guard next < bytes.count else { return nil }
            if bytes[next] == UInt8(ascii: ">") { return next + 1 }
            if bytes[next] == UInt8(ascii: "/") {
                return next + 1 < bytes.count && bytes[next + 1] == UInt8(ascii: ">") ? next + 2 : nil
            }
            guard next > index, let end = attribute(bytes, next) else { return nil }
            index = end
        }
    }

    private static func attribute(_ bytes: [UInt8], _ start: Int) -> Int? {
        guard bytes[start].isLetter || bytes[start] == UInt8(ascii: "_") || bytes[start] == UInt8(ascii: ":") else {
            return nil
        }
        let marks = [UInt8(ascii: "_"), UInt8(ascii: ":"), UInt8(ascii: "."), UInt8(ascii: "-")]
        let name = bytes.end(from: start + 1) { $0.isAlphanumeric || marks.contains($0) }
        var index = bytes.end(from: name) { $0.isSpace }
        guard index < bytes.count, bytes[index] == UInt8(ascii: "=") else { return name }
        index = bytes.end(from: index + 1) { $0.isSpace }
        guard index < bytes.count else { return nil }
        if bytes[index] == UInt8(ascii: "\"") || bytes[index] == UInt8(ascii: "'") {
            let quote = bytes[index]
            let end = bytes.end(from: index + 1) { $0 != quote }
            return end < bytes.count ? end + 1 : nil
        }
        let forbidden = Array("\"'=<>`".utf8)
        let end = bytes.end(from: index) { !$0.isSpace && !forbidden.contains($0) }
        return end > index ? end : nil
    }
}
