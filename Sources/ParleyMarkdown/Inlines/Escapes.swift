// SPDX-License-Identifier: Apache-2.0

/// Backslashes and character references, which mean the same in text, in addresses and in titles.
enum Escapes {
    /// The longest name of a character reference.
    private static let longestName = 32

    /// Reads a character reference (CommonMark 0.31, section 2.5).
    ///
    /// - Returns: its characters, and the index behind it; nil if there is none.
    static func reference(in bytes: [UInt8], at start: Int) -> (text: String, end: Int)? {
        guard start + 1 < bytes.count, bytes[start] == UInt8(ascii: "&") else { return nil }
        if bytes[start + 1] == UInt8(ascii: "#") {
            let isHex = start + 2 < bytes.count && bytes[start + 2] | 0x20 == UInt8(ascii: "x")
            let first = start + (isHex ? 3 : 2)
            let end = bytes.end(from: first) { $0.isDigit || isHex && (0x61...0x66).contains($0 | 0x20) }
            guard (1...(isHex ? 6 : 7)).contains(end - first), end < bytes.count, bytes[end] == UInt8(ascii: ";"),
                let number = UInt32(bytes.text(first..<end), radix: isHex ? 16 : 10)
            else { return nil }
            let scalar = number == 0 ? nil : Unicode.Scalar(number)
            return (String(Character(scalar ?? "\u{FFFD}")), end + 1)
        }
        let limit = Swift.min(bytes.count, start + 2 + longestName)
        var end = start + 1
        while end < limit, bytes[end].isAlphanumeric { end += 1 }
        guard end < bytes.count, bytes[end] == UInt8(ascii: ";"),
            let text = EntityNames.table[Substring(bytes.text(start + 1..<end))]
        else { return nil }
        return (text, end + 1)
    }

    /// The text of bytes in which backslashes and character references stand for others.
    static func resolve(_ bytes: [UInt8]) -> String {
        guard bytes.contains(where: { $0 == UInt8(ascii: "\\") || $0 == UInt8(ascii: "&") }) else {
            return String(decoding: bytes, as: UTF8.self)
        }
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "\\"), index + 1 < bytes.count, bytes[index + 1].isPunctuation {
                result.append(bytes[index + 1])
                index += 2
            } else if let (text, end) = reference(in: bytes, at: index) {
                result += text.utf8
                index = end
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
