// SPDX-License-Identifier: Apache-2.0

/// Divides long lines into parts and joins the parts again (RFC 5545, section 3.1).
enum LineFolding {
    static let carriageReturn = UInt8(ascii: "\r")
    static let lineFeed = UInt8(ascii: "\n")
    static let space = UInt8(ascii: " ")
    static let tab = UInt8(ascii: "\t")

    /// The maximum length of a line in octets, without its line end.
    static let width = 75

    /// Folds a line so that no part is longer than 75 octets or begins within a UTF-8 character.
    ///
    /// - Parameters:
    ///   - text: The octets of the line, without a line end.
    ///   - lineEnd: The line end of each part.
    /// - Returns: The parts with their line ends; all parts but the first begin with a space.
    static func fold(_ text: [UInt8], lineEnd: [UInt8]) -> [UInt8] {
        var folded: [UInt8] = []
        folded.reserveCapacity(text.count + text.count / 25 + lineEnd.count)
        var start = 0
        var room = width
        while text.count - start > room {
            var end = start + room
            while end > start + 1, text[end] & 0xC0 == 0x80 { end -= 1 }
            folded += text[start..<end]
            folded += lineEnd
            folded.append(space)
            start = end
            room = width - 1
        }
        folded += text[start...]
        folded += lineEnd
        return folded
    }

    /// Removes the folds and the line end of one content line.
    static func unfold(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count)
        var position = bytes.startIndex
        while position < bytes.endIndex {
            let end = bytes[position...].firstIndex(of: lineFeed) ?? bytes.endIndex
            var last = end
            if end < bytes.endIndex, last > position, bytes[last - 1] == carriageReturn { last -= 1 }
            text += bytes[position..<last]
            position = min(end + 1, bytes.endIndex)
            if position < bytes.endIndex { position += 1 }  // the space or tab that marks a fold
        }
        return text
    }

    /// The line end of a line: CRLF, LF or nothing.
    static func lineEnd(of bytes: [UInt8]) -> [UInt8] {
        guard bytes.last == lineFeed else { return [] }
        return bytes.count > 1 && bytes[bytes.count - 2] == carriageReturn ? [carriageReturn, lineFeed] : [lineFeed]
    }
}
