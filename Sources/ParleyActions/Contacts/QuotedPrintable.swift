// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The encoding of values in vCard 2.1 (RFC 2045, section 6.7).
enum QuotedPrintable {
    /// The text of a line as it is in the file: without its end, its soft line breaks and its folds.
    static func unbroken(_ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        var isFolded = false
        for line in bytes.split(separator: 10, omittingEmptySubsequences: true) {
            var line = line
            if line.last == 13 { line.removeLast() }
            if isFolded, line.first == 32 || line.first == 9 { line.removeFirst() }
            isFolded = line.last != UInt8(ascii: "=")
            if !text.isEmpty, text.last == UInt8(ascii: "=") { text.removeLast() }
            text += line
        }
        return text
    }

    /// The bytes that a value encodes.
    ///
    /// - Parameter value: The encoded value, without soft line breaks; what is no escape is kept.
    /// - Returns: The bytes.
    static func decoded(_ value: ArraySlice<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = value
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "="), rest.count >= 2, let high = hex(rest[rest.startIndex]),
                let low = hex(rest[rest.startIndex + 1])
            {
                bytes.append(high << 4 | low)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }

    /// The text of bytes: in the given character set, or in UTF-8 if they are that, or else in Latin-1.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - charset: The parameter CHARSET.
    /// - Returns: The text.
    static func text(_ bytes: [UInt8], charset: String?) -> String {
        let data = Data(bytes)
        // Those who write UTF-8 and mean to write ASCII are many.
        if let charset = charset?.lowercased(), !charset.hasSuffix("ascii"),
            let text = TextBytes.string(data, charset: charset)
        {
            return text
        }
        return String(validating: bytes, as: UTF8.self) ?? TextBytes.latin(data)
    }

    private static func hex(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
