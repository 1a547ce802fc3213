// SPDX-License-Identifier: Apache-2.0

import ParleyJSON

/// A JSON text that arrives in pieces, and the value it describes so far.
///
/// A string, object or array is complete at its closing quote or bracket; a number, `true`, `false` or `null` is
/// complete at the character after it. The results depend only on the text, not on how it is divided into pieces. If
/// the text turns out not to be JSON, there are no further results.
package struct JSONPrefix {
    private enum Place { case outside, name, text, word }

    private var bytes: [UInt8] = []
    private var place = Place.outside
    private var isEscaped = false
    /// Whether the next string is the name of a member.
    private var expectsName = false
    /// The closing brackets of all open objects and arrays, outermost first.
    private var closers: [UInt8] = []
    private var hasEnded = false

    private static let depthLimit = 128

    /// Creates an empty text.
    package init() {}

    /// Adds a piece of text.
    ///
    /// - Returns: the whole value so far, once for each inner value that this piece completes, in order.
    package mutating func append(_ piece: String) -> [PartialValue] {
        var values: [PartialValue] = []
        for byte in piece.utf8 where !hasEnded {
            // A number or a word is complete when a delimiter follows.
            if place == .word, Self.isDelimiter(byte) {
                place = .outside
                note(&values)
            }
            bytes.append(byte)
            if read(byte) { note(&values) }
        }
        return values
    }

    /// Processes one byte.
    ///
    /// - Returns: whether the byte completes a value.
    private mutating func read(_ byte: UInt8) -> Bool {
        switch place {
        case .name, .text:
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                defer { place = .outside }
                return place == .text
            }
            return false
        case .word: return false
        case .outside: return readOutside(byte)
        }
    }

    private mutating func readOutside(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            guard closers.count < Self.depthLimit else { hasEnded = true; return false }
            expectsName = byte == UInt8(ascii: "{")
            closers.append(expectsName ? UInt8(ascii: "}") : UInt8(ascii: "]"))
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            hasEnded = closers.popLast() != byte
            return !hasEnded
        case UInt8(ascii: ","): expectsName = closers.last == UInt8(ascii: "}")
        case UInt8(ascii: ":"): expectsName = false
        case UInt8(ascii: "\""): place = expectsName ? .name : .text
        case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): break
        default: place = .word
        }
        return false
    }

    private mutating func note(_ values: inout [PartialValue]) {
        guard !closers.isEmpty else { hasEnded = true; return }
        guard let value = try? JSONValue(parsing: bytes + closers.reversed()) else { hasEnded = true; return }
        values.append(PartialValue(value, openDepth: closers.count))
    }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: " "), UInt8(ascii: "\n"),
            UInt8(ascii: "\r"), UInt8(ascii: "\t"):
            true
        default: false
        }
    }
}
