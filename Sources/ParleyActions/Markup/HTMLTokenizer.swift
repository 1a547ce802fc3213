// SPDX-License-Identifier: Apache-2.0

/// Splits HTML into tags and text, in the spirit of the
/// [WHATWG's tokenizer](https://html.spec.whatwg.org/multipage/parsing.html#tokenization): whatever comes is read to
/// its end, and every byte is looked at a bounded number of times.
package struct HTMLTokenizer: Sendable {
    /// A part of a page.
    package enum Token: Hashable, Sendable {
        /// Text, with its character references resolved.
        case text(String)
        /// The beginning of an element, with its name and those attributes that matter here.
        case start(String, attributes: [String: String], isClosed: Bool)
        /// The end of an element.
        case end(String)
    }

    private let bytes: [UInt8]
    private var position = 0
    /// The element whose content is not markup.
    private var rawElement: String?

    /// Elements whose content is text up to their end tag.
    private static let rawElements: Set = [
        "script", "style", "title", "textarea", "xmp", "iframe", "noembed", "noframes", "noscript",
    ]
    private static let keptAttributes: Set = [
        "href", "alt", "hidden", "aria-hidden", "style", "start", "lang", "class",
    ]
    private static let longestName = 64
    private static let longestValue = 4_096

    /// Reads a page.
    package init(_ text: String) { bytes = Array(text.utf8) }

    /// The next part; nil at the end.
    package mutating func next() -> Token? {
        while position < bytes.count {
            if let name = rawElement {
                rawElement = nil
                if let text = rawText(until: name) { return .text(text) }
                continue
            }
            if bytes[position] == UInt8(ascii: "<"), let token = markup() {
                switch token {
                case .some(let token): return token
                case nil: continue
                }
            }
            return .text(text())
        }
        return nil
    }

    // MARK: Text

    /// Text up to the next markup; a `<` that begins none belongs to it.
    private mutating func text() -> String {
        let start = position
        position += 1
        while position < bytes.count, bytes[position] != UInt8(ascii: "<") { position += 1 }
        return HTMLEntities.resolve(bytes[start..<position])
    }

    /// The content of an element up to its end tag; nil if it is empty.
    private mutating func rawText(until name: String) -> String? {
        let start = position
        let name = Array(name.utf8)
        while position < bytes.count {
            if bytes[position] == UInt8(ascii: "<"), isEndTag(name, at: position) { break }
            position += 1
        }
        if start == position { return nil }
        return HTMLEntities.resolve(bytes[start..<position])
    }

    private func isEndTag(_ name: [UInt8], at start: Int) -> Bool {
        let end = start + 2 + name.count
        guard end <= bytes.count, bytes[start + 1] == UInt8(ascii: "/") else { return false }
        guard zip(bytes[(start + 2)..<end], name).allSatisfy({ Self.lower($0) == $1 }) else { return false }
        return end == bytes.count || !Self.isLetter(bytes[end])
    }

    // MARK: Markup

    /// The markup at a `<`: nil if it is text, an inner nil if it is nothing that matters.
    private mutating func markup() -> Token?? {
        guard position + 1 < bytes.count else { return nil }
        switch bytes[position + 1] {
        case UInt8(ascii: "!"):
            skipDeclaration()
            return .some(nil)
        case UInt8(ascii: "?"):
            skip(past: UInt8(ascii: ">"))
            return .some(nil)
        case UInt8(ascii: "/"):
            guard position + 2 < bytes.count, Self.isLetter(bytes[position + 2]) else {
                skip(past: UInt8(ascii: ">"))
                return .some(nil)
            }
            position += 2
            let name = name()
            _ = attributes()
            return .end(name)
        case let byte where Self.isLetter(byte):
            position += 1
            let name = name()
            let (attributes, isClosed) = attributes()
            if Self.rawElements.contains(name) { rawElement = name }
            return .start(name, attributes: attributes, isClosed: isClosed)
        default: return nil
        }
    }

    private mutating func skipDeclaration() {
        if bytes[position...].starts(with: "<!--".utf8) {
            position += 4
            // `<!-->` and `<!--->` are comments too.
            if bytes[position...].starts(with: ">".utf8) || bytes[position...].starts(with: "->".utf8) {
                return skip(past: UInt8(ascii: ">"))
            }
            while position < bytes.count {
                if bytes[position] == UInt8(ascii: "-"), bytes[position...].starts(with: "-->".utf8) {
                    position += 3
                    return
                }
                position += 1
            }
        } else if bytes[position...].starts(with: "<![CDATA[".utf8) {
            position += 9
            while position < bytes.count {
                if bytes[position] == UInt8(ascii: "]"), bytes[position...].starts(with: "]]>".utf8) {
                    position += 3
                    return
                }
                position += 1
            }
        } else {
            skip(past: UInt8(ascii: ">"))
        }
    }

    private mutating func skip(past end: UInt8) {
        while position < bytes.count, bytes[position] != end { position += 1 }
        position = min(position + 1, bytes.count)
    }

    private mutating func name() -> String {
        let start = position
        while position < bytes.count, !Self.isSpace(bytes[position]), bytes[position] != UInt8(ascii: "/"),
            bytes[position] != UInt8(ascii: ">")
        {
            position += 1
        }
        return String(decoding: bytes[start..<position].prefix(Self.longestName).map(Self.lower), as: UTF8.self)
    }

    /// The attributes up to the end of the tag, which is passed.
    private mutating func attributes() -> ([String: String], isClosed: Bool) {
        var result: [String: String] = [:]
        var isClosed = false
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: ">") {
                position += 1
                break
            }
            isClosed = byte == UInt8(ascii: "/")
            if isClosed || Self.isSpace(byte) {
                position += 1
                continue
            }
            let name = attributeName()
            let value = attributeValue()
            if Self.keptAttributes.contains(name), result[name] == nil {
                result[name] = HTMLEntities.resolve(value.prefix(Self.longestValue))
            }
        }
        return (result, isClosed)
    }

    private mutating func attributeName() -> String {
        let start = position
        // The first byte belongs to the name, even if it is `=`.
        position += 1
        while position < bytes.count, !Self.isSpace(bytes[position]), !"/>=".utf8.contains(bytes[position]) {
            position += 1
        }
        return String(decoding: bytes[start..<position].prefix(Self.longestName).map(Self.lower), as: UTF8.self)
    }

    private mutating func attributeValue() -> ArraySlice<UInt8> {
        var next = position
        while next < bytes.count, Self.isSpace(bytes[next]) { next += 1 }
        guard next < bytes.count, bytes[next] == UInt8(ascii: "=") else {
            // Spaces are passed once, so that a long run of them is not read again.
            position = next
            return []
        }
        position = next + 1
        while position < bytes.count, Self.isSpace(bytes[position]) { position += 1 }
        guard position < bytes.count else { return [] }
        let quote = bytes[position]
        if quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
            position += 1
            let start = position
            while position < bytes.count, bytes[position] != quote { position += 1 }
            defer { position = min(position + 1, bytes.count) }
            return bytes[start..<position]
        }
        let start = position
        while position < bytes.count, !Self.isSpace(bytes[position]), bytes[position] != UInt8(ascii: ">") {
            position += 1
        }
        return bytes[start..<position]
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
    private static func lower(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
}
