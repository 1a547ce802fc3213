// SPDX-License-Identifier: Apache-2.0

/// The kinds of bytes that Markdown tells apart.
extension UInt8 {
    var isSpaceOrTab: Bool { self == 0x20 || self == 0x09 }
    /// A space, a tab, or the end of a line.
    var isSpace: Bool { isSpaceOrTab || self == 0x0A }
    var isDigit: Bool { (0x30...0x39).contains(self) }
    var isLetter: Bool { (0x61...0x7A).contains(self | 0x20) }
    var isAlphanumeric: Bool { isDigit || isLetter }
    var isControl: Bool { self < 0x20 || self == 0x7F }
    /// A mark of ASCII, which a backslash before it makes ordinary.
    var isPunctuation: Bool {
        (0x21...0x2F).contains(self) || (0x3A...0x40).contains(self) || (0x5B...0x60).contains(self)
            || (0x7B...0x7E).contains(self)
    }
}

extension Unicode.Scalar {
    /// Whether it counts as a space beside marks of emphasis (CommonMark 0.31, section 2.1).
    var isMarkdownSpace: Bool {
        [0x09, 0x0A, 0x0C, 0x0D].contains(value) || properties.generalCategory == .spaceSeparator
    }

    /// Whether it counts as punctuation beside marks of emphasis: the categories P and S.
    var isMarkdownPunctuation: Bool {
        switch properties.generalCategory {
        case .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation, .initialPunctuation,
            .finalPunctuation, .otherPunctuation, .mathSymbol, .currencySymbol, .modifierSymbol, .otherSymbol:
            true
        default: false
        }
    }
}

extension [UInt8] {
    /// The first index from a place on at which a condition holds, else the count.
    func end(from start: Int, while condition: (UInt8) -> Bool) -> Int {
        var index = start
        while index < count, condition(self[index]) { index += 1 }
        return index
    }

    /// The text of some bytes.
    func text(_ range: Range<Int>) -> String { String(decoding: self[range], as: UTF8.self) }

    /// Whether some bytes stand at a place.
    func has(_ text: StaticString, at index: Int) -> Bool {
        let length = text.utf8CodeUnitCount
        guard index + length <= count else { return false }
        for offset in 0..<length where self[index + offset] != text.utf8Start[offset] { return false }
        return true
    }
}
