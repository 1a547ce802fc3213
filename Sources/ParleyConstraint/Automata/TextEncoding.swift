// SPDX-License-Identifier: Apache-2.0

/// The encoding of characters as bytes.
enum TextEncoding {
    /// Plain UTF-8.
    case plain
    /// The inside of a JSON string, with one spelling for each character: UTF-8, or the shortest escape where JSON
    /// requires one. Equal texts then have equal bytes.
    case json

    /// The byte sequences that spell the characters of a set.
    func sequences(of set: CodePointSet) -> [[ClosedRange<UInt8>]] {
        guard self == .json else { return set.ranges.flatMap { Self.utf8(of: $0) } }
        let raw = set.intersection(Self.unescaped)
        return raw.ranges.flatMap { Self.utf8(of: $0) }
            + Self.escaped.filter { set.contains(UInt32($0)) }.map { Self.escape(of: $0).map { $0...$0 } }
    }

    /// The bytes of a text.
    func bytes(of text: String) -> [UInt8] {
        guard self == .json else { return Array(text.utf8) }
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if Self.unescaped.contains(UInt32(byte)) || byte >= 0x80 {
                bytes.append(byte)
            } else {
                bytes += Self.escape(of: byte)
            }
        }
        return bytes
    }

    private static let unescaped = CodePointSet([0x20...0x21, 0x23...0x5B, 0x5D...0xD7FF, 0xE000...0x10FFFF])
    private static let escaped: [UInt8] = Array(0x00...0x1F) + [0x22, 0x5C]

    private static func escape(of byte: UInt8) -> [UInt8] {
        let backslash = UInt8(ascii: "\\")
        switch byte {
        case 0x22, 0x5C: return [backslash, byte]
        case 0x08: return [backslash, UInt8(ascii: "b")]
        case 0x09: return [backslash, UInt8(ascii: "t")]
        case 0x0A: return [backslash, UInt8(ascii: "n")]
        case 0x0C: return [backslash, UInt8(ascii: "f")]
        case 0x0D: return [backslash, UInt8(ascii: "r")]
        default:
            let digits = Array("0123456789abcdef".utf8)
            return Array("\\u00".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
    }

    /// Converts a range of scalar values to ranges of bytes. The range is split where the number of bytes or their
    /// prefix changes.
    private static func utf8(of range: ClosedRange<UInt32>) -> [[ClosedRange<UInt8>]] {
        for limit: UInt32 in [0x7F, 0x7FF, 0xFFFF] where range.lowerBound <= limit && range.upperBound > limit {
            return utf8(of: range.lowerBound...limit) + utf8(of: (limit + 1)...range.upperBound)
        }
        if range.upperBound <= 0x7F { return [[UInt8(range.lowerBound)...UInt8(range.upperBound)]] }
        // Only the last byte, or the last two or three, may vary freely below a common prefix.
        for shift: UInt32 in [6, 12, 18] {
            let mask = (UInt32(1) << shift) - 1
            guard range.lowerBound & ~mask != range.upperBound & ~mask else { break }
            if range.lowerBound & mask != 0 {
                return utf8(of: range.lowerBound...(range.lowerBound | mask))
                    + utf8(of: ((range.lowerBound | mask) + 1)...range.upperBound)
            }
            if range.upperBound & mask != mask {
                return utf8(of: range.lowerBound...((range.upperBound & ~mask) - 1))
                    + utf8(of: (range.upperBound & ~mask)...range.upperBound)
            }
        }
        let low = encoded(range.lowerBound)
        let high = encoded(range.upperBound)
        return [zip(low, high).map { $0...$1 }]
    }

    private static func encoded(_ scalar: UInt32) -> [UInt8] {
        Unicode.Scalar(scalar).map { Array(String(Character($0)).utf8) } ?? []
    }
}
