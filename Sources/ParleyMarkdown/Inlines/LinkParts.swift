// SPDX-License-Identifier: Apache-2.0

/// The parts of links and of their definitions: labels, addresses and titles.
enum LinkParts {
    /// The most bytes of a label (CommonMark 0.31, section 4.7).
    static let longestLabel = 999
    /// The most parentheses within each other in an address, so that one is read in linear time.
    private static let mostParentheses = 32

    /// Reads a label in brackets.
    ///
    /// - Returns: the range between the brackets, and the index behind them; nil if there is none.
    static func label(in bytes: [UInt8], at start: Int) -> (content: Range<Int>, end: Int)? {
        guard start < bytes.count, bytes[start] == UInt8(ascii: "[") else { return nil }
        var index = start + 1
        while index < bytes.count, index - start <= longestLabel + 1 {
            switch bytes[index] {
            case UInt8(ascii: "]"): return (start + 1..<index, index + 1)
            case UInt8(ascii: "["): return nil
            case UInt8(ascii: "\\"): index += 2
            default: index += 1
            }
        }
        return nil
    }

    /// The form in which labels are compared; nil for one without characters.
    static func key(_ label: some Sequence<UInt8>) -> String? {
        let words = String(decoding: Array(label), as: UTF8.self).unicodeScalars.split { scalar in
            [0x09, 0x0A, 0x0D, 0x20].contains(scalar.value)
        }
        guard !words.isEmpty else { return nil }
        // Both steps together fold the cases of all scripts, ß and ẞ included.
        return words.map { String($0) }.joined(separator: " ").lowercased().uppercased()
    }

    /// Reads an address.
    static func destination(in bytes: [UInt8], at start: Int) -> (text: String, end: Int)? {
        guard start < bytes.count else { return nil }
        var index = start
        if bytes[index] == UInt8(ascii: "<") {
            index += 1
            while index < bytes.count {
                switch bytes[index] {
                case UInt8(ascii: ">"): return (Escapes.resolve(Array(bytes[start + 1..<index])), index + 1)
                case UInt8(ascii: "<"), 0x0A: return nil
                case UInt8(ascii: "\\"): index += 2
                default: index += 1
                }
            }
            return nil
        }
        var depth = 0
        scan: while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\\") where index + 1 < bytes.count && bytes[index + 1].isPunctuation: index += 2
            case UInt8(ascii: "("):
                depth += 1
                guard depth <= mostParentheses else { return nil }
                index += 1
            case UInt8(ascii: ")"):
                if depth == 0 { break scan }
                depth -= 1
                index += 1
            case let byte where byte.isControl || byte == 0x20: break scan
            default: index += 1
            }
        }
        return depth == 0 ? (Escapes.resolve(Array(bytes[start..<index])), index) : nil
    }

    /// Reads a title in quotes or parentheses. The quotes that are known not to be closed are not looked for again.
    static func title(
        in bytes: [UInt8], at start: Int, unclosed: inout Set<UInt8>
    ) -> (text: String, end: Int)? {
        guard start < bytes.count, [UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "(")].contains(bytes[start])
        else { return nil }
        let close = bytes[start] == UInt8(ascii: "(") ? UInt8(ascii: ")") : bytes[start]
        guard !unclosed.contains(close) else { return nil }
        var index = start + 1
        while index < bytes.count {
            switch bytes[index] {
            case close: return (Escapes.resolve(Array(bytes[start + 1..<index])), index + 1)
            case UInt8(ascii: "(") where close == UInt8(ascii: ")"): return nil
            case UInt8(ascii: "\\"): index += 2
            default: index += 1
            }
        }
        unclosed.insert(close)
        return nil
    }

    /// The index behind spaces and at most one end of a line.
    static func skipSpace(in bytes: [UInt8], from start: Int) -> Int {
        let index = bytes.end(from: start) { $0.isSpaceOrTab }
        guard index < bytes.count, bytes[index] == 0x0A else { return index }
        return bytes.end(from: index + 1) { $0.isSpaceOrTab }
    }
}
