// SPDX-License-Identifier: Apache-2.0

/// What the beginning of a line may be (CommonMark 0.31, sections 4 and 5).
enum LineForms {
    /// An opening or closing fence of code.
    struct Fence: Hashable {
        let byte: UInt8
        let length: Int
        let indent: Int
    }

    /// The sign before an item of a list.
    struct ListMarker: Hashable {
        /// The bullet, or the mark behind the number.
        let byte: UInt8
        /// The number; nil for a bullet.
        let number: Int?
        /// How far from the margin it stands.
        var offset = 0
        /// The width of the sign with the spaces behind it.
        var padding = 0

        /// Whether an item with another sign belongs to the same list.
        func continues(_ other: ListMarker) -> Bool { byte == other.byte && (number == nil) == (other.number == nil) }
    }

    /// A heading with `#`: its level and text.
    static func heading(_ bytes: [UInt8], _ start: Int) -> (level: Int, text: [UInt8])? {
        let end = bytes.end(from: start) { $0 == UInt8(ascii: "#") }
        guard (1...6).contains(end - start), end == bytes.count || bytes[end].isSpaceOrTab else { return nil }
        var text = bytes[end...].trimmingSpaces
        // Closing marks count only behind a space.
        let body = text.prefix(text.count - text.reversed().prefix { $0 == UInt8(ascii: "#") }.count)
        if body.isEmpty || body.last?.isSpaceOrTab == true { text = body.trimmingSpaces }
        return (end - start, Array(text))
    }

    /// An opening fence, and the words behind it.
    static func fence(_ bytes: [UInt8], _ start: Int, indent: Int) -> (fence: Fence, info: [UInt8])? {
        let byte = bytes[start]
        guard byte == UInt8(ascii: "`") || byte == UInt8(ascii: "~") else { return nil }
        let end = bytes.end(from: start) { $0 == byte }
        guard end - start >= 3, byte == UInt8(ascii: "~") || !bytes[end...].contains(byte) else { return nil }
        return (Fence(byte: byte, length: end - start, indent: indent), Array(bytes[end...].trimmingSpaces))
    }

    /// Whether a line closes a fence.
    static func closes(_ fence: Fence, _ bytes: [UInt8], _ start: Int) -> Bool {
        let end = bytes.end(from: start) { $0 == fence.byte }
        return end - start >= fence.length && bytes[end...].allSatisfy(\.isSpaceOrTab)
    }

    /// The level of a heading whose underline a line is.
    static func underline(_ bytes: [UInt8], _ start: Int) -> Int? {
        let byte = bytes[start]
        guard byte == UInt8(ascii: "=") || byte == UInt8(ascii: "-") else { return nil }
        let end = bytes.end(from: start) { $0 == byte }
        return bytes[end...].allSatisfy(\.isSpaceOrTab) ? (byte == UInt8(ascii: "=") ? 1 : 2) : nil
    }

    static func isThematicBreak(_ bytes: [UInt8], _ start: Int) -> Bool {
        let byte = bytes[start]
        guard byte == UInt8(ascii: "*") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") else { return false }
        var count = 0
        for other in bytes[start...] {
            if other == byte { count += 1 } else if !other.isSpaceOrTab { return false }
        }
        return count >= 3
    }

    /// The sign of an item, and the number of its bytes.
    static func listMarker(
        _ bytes: [UInt8], _ start: Int, interruptsParagraph: Bool
    ) -> (marker: ListMarker, length: Int)? {
        var marker: ListMarker
        var end = start + 1
        if Array("*+-".utf8).contains(bytes[start]) {
            marker = ListMarker(byte: bytes[start], number: nil)
        } else {
            end = bytes.end(from: start) { $0.isDigit }
            guard (1...9).contains(end - start), end < bytes.count, Array(".)".utf8).contains(bytes[end]),
                let number = Int(bytes.text(start..<end)), !interruptsParagraph || number == 1
            else { return nil }
            marker = ListMarker(byte: bytes[end], number: number)
            end += 1
        }
        guard end == bytes.count || bytes[end].isSpaceOrTab else { return nil }
        guard !interruptsParagraph || !bytes[end...].allSatisfy(\.isSpaceOrTab) else { return nil }
        return (marker, end - start)
    }

    // MARK: HTML

    /// The names of the elements that begin a block wherever they stand (condition 6).
    private static let blockElements: Set<String> = Set(
        """
        address article aside base basefont blockquote body caption center col colgroup dd details dialog dir div dl dt \
        fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html iframe legend li \
        link main menu menuitem nav noframes ol optgroup option p param search section summary table tbody td tfoot th \
        thead title tr track ul
        """.split(separator: " ").map(String.init))

    /// Which of the seven conditions of a block of HTML a line fulfils.
    static func htmlStart(_ bytes: [UInt8], _ start: Int) -> Int? {
        guard bytes[start] == UInt8(ascii: "<") else { return nil }
        if bytes.has("<!--", at: start) { return 2 }
        if bytes.has("<?", at: start) { return 3 }
        if bytes.has("<![CDATA[", at: start) { return 5 }
        if bytes.has("<!", at: start), start + 2 < bytes.count, bytes[start + 2].isLetter { return 4 }
        let isClosing = start + 1 < bytes.count && bytes[start + 1] == UInt8(ascii: "/")
        let first = start + (isClosing ? 2 : 1)
        let end = bytes.end(from: first) { $0.isAlphanumeric }
        let name = bytes.text(first..<end).lowercased()
        let follows = end == bytes.count || bytes[end].isSpaceOrTab || bytes[end] == UInt8(ascii: ">")
        if !isClosing, follows, ["script", "pre", "style", "textarea"].contains(name) { return 1 }
        if follows || bytes.has("/>", at: end), blockElements.contains(name) { return 6 }
        var html = RawHTML()
        let tag = isClosing ? html.end(in: bytes, at: start) : RawHTML.openTag(bytes, start)
        guard let tagEnd = tag else { return nil }
        return bytes[tagEnd...].allSatisfy(\.isSpaceOrTab) ? 7 : nil
    }

    /// Whether a line ends a block of HTML that begun by one of the first five conditions.
    static func endsHTML(_ condition: Int, _ bytes: [UInt8]) -> Bool {
        switch condition {
        case 1:
            let text = String(decoding: bytes, as: UTF8.self).lowercased()
            return ["</script>", "</pre>", "</style>", "</textarea>"].contains { text.contains($0) }
        case 2: return bytes.contains("-->")
        case 3: return bytes.contains("?>")
        case 4: return bytes.contains(">")
        case 5: return bytes.contains("]]>")
        default: return false
        }
    }
}

extension [UInt8] {
    fileprivate func contains(_ text: StaticString) -> Bool { indices.contains { has(text, at: $0) } }
}

extension BidirectionalCollection<UInt8> {
    /// The bytes without spaces and tabs at either end.
    var trimmingSpaces: SubSequence {
        var (start, end) = (startIndex, endIndex)
        while start < end, self[start].isSpaceOrTab { start = index(after: start) }
        while start < end, self[index(before: end)].isSpaceOrTab { end = index(before: end) }
        return self[start..<end]
    }
}
