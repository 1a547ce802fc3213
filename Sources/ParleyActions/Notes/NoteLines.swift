// SPDX-License-Identifier: Apache-2.0

/// Divides bytes into lines.
enum NoteLines {
    /// The line that begins at an offset, with its end; nil at the end.
    static func line(at start: Int, in bytes: [UInt8]) -> Range<Int>? {
        guard start < bytes.count else { return nil }
        let end = bytes[start...].firstIndex(of: 10).map { $0 + 1 } ?? bytes.count
        return start..<end
    }

    /// The end of the first line, which is also used for new lines: CRLF or LF.
    static func lineEnd(of bytes: [UInt8]) -> String {
        guard let feed = bytes.firstIndex(of: 10), feed > 0, bytes[feed - 1] == 13 else { return "\n" }
        return "\r\n"
    }

    /// A range without the blank lines at its end, and without the end of its last line.
    static func trimmed(_ range: Range<Int>, of bytes: [UInt8]) -> Range<Int> {
        var end = range.upperBound
        while end > range.lowerBound, [10, 13, 32, 9].contains(bytes[end - 1]) { end -= 1 }
        return range.lowerBound..<end
    }
}
