// SPDX-License-Identifier: Apache-2.0

import ParleyCommandLine

/// The lines of standard input as the bytes that they are, each as soon as it is there.
///
/// `readLine()` puts other characters in the place of what is not text, without telling.
package struct InputLines {
    /// The maximum number of bytes of a line, because a stream may be endless.
    package static let mostBytes = 16 << 20

    /// What has been read and belongs to later lines.
    private var rest: [UInt8] = []
    private let limit: Int
    private let read: () -> [UInt8]?

    /// Creates the lines of an input.
    ///
    /// - Parameters:
    ///   - limit: the maximum number of bytes of a line.
    ///   - read: returns bytes that have come, perhaps none; nil at the end of the input.
    package init(
        atMost limit: Int = InputLines.mostBytes,
        reading read: @escaping () -> [UInt8]? = { Terminal.read(timeout: -1) }
    ) {
        (self.limit, self.read) = (limit, read)
    }

    /// The next line without its line feed; nil at the end of the input.
    ///
    /// - Throws: ``CommandError`` for a line that is too long.
    package mutating func next() throws -> [UInt8]? {
        var searched = 0
        while true {
            if let end = rest[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { rest.removeFirst(end + 1) }
                return Array(rest[..<end])
            }
            searched = rest.count
            guard searched <= limit else {
                throw CommandError("A line of the input is longer than the maximum of \(limit >> 20) MiB.")
            }
            guard let more = read() else {
                defer { rest = [] }
                return rest.isEmpty ? nil : rest
            }
            rest += more
        }
    }
}
