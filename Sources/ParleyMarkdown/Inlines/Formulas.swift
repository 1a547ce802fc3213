// SPDX-License-Identifier: Apache-2.0

/// Formulas in TeX's notation: `\( … \)` in a line, `\[ … \]` and `$$ … $$` displayed. CommonMark has none; there these marks
/// are escaped brackets and dollars, and stay so where they enclose nothing that looks like a formula.
enum Formulas {
    /// The marks around a formula.
    enum Marks: Sendable {
        case parentheses, brackets, dollars

        /// What a formula between them begins with.
        var opening: [UInt8] { Array(self == .parentheses ? #"\("#.utf8 : self == .brackets ? #"\["#.utf8 : "$$".utf8) }
        var isDisplayed: Bool { self != .parentheses }
    }

    /// A displayed formula whose marks stand in different lines.
    struct Opening: Sendable {
        let marks: Marks
        /// Whether the opening marks are alone in their line.
        let isAlone: Bool
        var isClosed = false
    }

    /// Reads a formula that begins at a place.
    ///
    /// - Returns: the formula and the index behind it; nil if there is none.
    static func formula(in bytes: [UInt8], at start: Int) -> (formula: MarkdownInline, end: Int)? {
        guard let marks = marks(in: bytes, at: start), let close = closing(marks, in: bytes, from: start + 2) else {
            return nil
        }
        let content = bytes[start + 2..<close]
        guard looksRight(content, marks) else { return nil }
        // The lines of a formula within a line are no more than spaces.
        let text = content.trimmingWhitespace.map { $0 == 0x0A && !marks.isDisplayed ? 0x20 : $0 }
        return (.formula(String(decoding: text, as: UTF8.self), isDisplayed: marks.isDisplayed), close + 2)
    }

    private static func marks(in bytes: [UInt8], at start: Int) -> Marks? {
        if bytes.has(#"\("#, at: start) { return .parentheses }
        if bytes.has(#"\["#, at: start) { return .brackets }
        return bytes.end(from: start) { $0 == UInt8(ascii: "$") } == start + 2 ? .dollars : nil
    }

    /// Where the closing marks stand. An opening one before them ends the search, so that each byte is looked at once.
    private static func closing(_ marks: Marks, in bytes: [UInt8], from start: Int) -> Int? {
        let (open, close): (UInt8, UInt8) =
            marks == .parentheses
            ? (UInt8(ascii: "("), UInt8(ascii: ")")) : (UInt8(ascii: "["), UInt8(ascii: "]"))
        var index = start
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "\\"), index + 1 < bytes.count {
                if marks != .dollars {
                    if bytes[index + 1] == close { return index }
                    if bytes[index + 1] == open { return nil }
                }
                index += 2
            } else if bytes[index] == UInt8(ascii: "$"), marks == .dollars {
                let end = bytes.end(from: index) { $0 == UInt8(ascii: "$") }
                if end - index == 2 { return index }
                index = end
            } else {
                index += 1
            }
        }
        return nil
    }

    /// Whether what stands between marks is a formula, rather than text with escaped brackets or two prices.
    private static func looksRight(_ content: ArraySlice<UInt8>, _ marks: Marks) -> Bool {
        guard content.contains(where: { $0.isAlphanumeric || $0 >= 0x80 }) else { return false }
        let hasSign = content.contains { #"\^_=+<>"#.utf8.contains($0) }
        return switch marks {
        case .parentheses: true
        case .brackets: hasSign
        case .dollars: hasSign || content.first?.isSpace == false && content.last?.isSpace == false
        }
    }

    // MARK: Lines

    /// The marks that a line begins with, if the formula does not end in it, and what follows them.
    static func opening(_ bytes: [UInt8], _ start: Int) -> (opening: Opening, text: [UInt8])? {
        guard let marks = marks(in: bytes, at: start), marks.isDisplayed else { return nil }
        let rest = Array(bytes[(start + 2)...])
        let isAlone = rest.allSatisfy(\.isSpaceOrTab)
        // What is closed in its own line is read with the text, as are escaped brackets of other kinds.
        let isOpen = marks == .dollars ? closing(marks, in: rest, from: 0) == nil : !rest.contains(UInt8(ascii: "]"))
        return isOpen ? (Opening(marks: marks, isAlone: isAlone), rest) : nil
    }

    /// The end of a formula in a line: what is before and behind the closing marks.
    static func closing(_ opening: Opening, _ bytes: [UInt8]) -> (before: [UInt8], after: [UInt8])? {
        guard let place = closing(opening.marks, in: bytes, from: 0) else { return nil }
        return (Array(bytes[..<place]), Array(bytes[(place + 2)...].trimmingWhitespace))
    }

    /// Whether a paragraph has opened a formula between dollars that is not closed, so that other dollars close it.
    struct Dollars {
        private var line = -1
        private var place = 0
        private var isOpen = false

        /// Whether one is open behind the text so far of the paragraph that begins in a line. Each line is looked at once.
        mutating func isOpen(in text: [UInt8], ofParagraphAt line: Int) -> Bool {
            if self.line != line { (self.line, place, isOpen) = (line, 0, false) }
            while let next = closing(.dollars, in: text, from: place) { (place, isOpen) = (next + 2, !isOpen) }
            place = text.count
            return isOpen
        }
    }
}

extension BidirectionalCollection<UInt8> {
    /// The bytes without spaces, tabs and ends of lines at either end.
    var trimmingWhitespace: SubSequence {
        var (start, end) = (startIndex, endIndex)
        while start < end, self[start].isSpace { start = index(after: start) }
        while start < end, self[index(before: end)].isSpace { end = index(before: end) }
        return self[start..<end]
    }
}
