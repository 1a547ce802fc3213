// SPDX-License-Identifier: Apache-2.0

import ParleyMarkdown

/// Resolves character references: numbers, and names with their semicolon.
enum HTMLEntities {
    /// The text of bytes, with references resolved; those that are not known stay as they are.
    static func resolve(_ bytes: ArraySlice<UInt8>) -> String {
        guard bytes.contains(UInt8(ascii: "&")) else { return String(decoding: bytes, as: UTF8.self) }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var rest = bytes
        while let start = rest.firstIndex(of: UInt8(ascii: "&")) {
            result += rest[..<start]
            rest = rest[(start + 1)...]
            if let (text, length) = reference(rest.prefix(longest)) {
                result += text.utf8
                rest = rest.dropFirst(length)
            } else {
                result.append(UInt8(ascii: "&"))
            }
        }
        return String(decoding: result + rest, as: UTF8.self)
    }

    /// The longest name, `CounterClockwiseContourIntegral`, with its semicolon.
    private static let longest = 32

    /// The text of a reference after its `&`, and its length.
    private static func reference(_ bytes: ArraySlice<UInt8>) -> (text: String, length: Int)? {
        if bytes.first == UInt8(ascii: "#") {
            let isHex = bytes.dropFirst().first.map { $0 | 0x20 } == UInt8(ascii: "x")
            let digits = bytes.dropFirst(isHex ? 2 : 1).prefix { byte in
                (0x30...0x39).contains(byte) || isHex && (0x61...0x66).contains(byte | 0x20)
            }
            guard !digits.isEmpty else { return nil }
            let number = UInt32(String(decoding: digits, as: UTF8.self), radix: isHex ? 16 : 10) ?? 0
            let end = digits.endIndex < bytes.endIndex && bytes[digits.endIndex] == UInt8(ascii: ";") ? 1 : 0
            return (character(number), digits.endIndex - bytes.startIndex + end)
        }
        let name = bytes.prefix { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20) }
        guard name.endIndex < bytes.endIndex, bytes[name.endIndex] == UInt8(ascii: ";") else { return nil }
        let key = String(decoding: name, as: UTF8.self)
        guard let text = blanks.contains(key) ? "" : EntityNames.table[key[...]] else { return nil }
        return (text, name.count + 1)
    }

    private static func character(_ number: UInt32) -> String {
        // Numbers between 128 and 159 mean the characters of Windows-1252, as in old pages.
        if (0x80...0x9F).contains(number) { return TextBytes.windows1252[Int(number - 0x80)] }
        guard number != 0, let scalar = Unicode.Scalar(number) else { return "\u{FFFD}" }
        return String(Character(scalar))
    }

    /// The names whose characters nobody sees and nothing needs.
    private static let blanks: Set<String> = ["shy"]
}
