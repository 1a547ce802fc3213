// SPDX-License-Identifier: Apache-2.0

/// Splits bytes into lines of a limited length, whatever the pieces in which they arrive.
package struct LineSplitter: Sendable {
    private var line: [UInt8] = []
    private let limit: Int

    /// Creates a splitter.
    package init(limit: Int) { self.limit = limit }

    /// Takes the next bytes; returns the lines that end in them, without their ends and without empty ones.
    ///
    /// - Throws: ``MCPError`` with code `invalidMessage` for a line above the limit.
    package mutating func take(_ bytes: [UInt8]) throws(MCPError) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        var rest = bytes[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            try append(rest[..<end])
            if line.last == UInt8(ascii: "\r") { line.removeLast() }
            if !line.isEmpty { lines.append(line) }
            line = []
            rest = rest[(end + 1)...]
        }
        try append(rest)
        return lines
    }

    private mutating func append(_ bytes: ArraySlice<UInt8>) throws(MCPError) {
        guard bytes.count <= limit - line.count else {
            throw MCPError(.invalidMessage, "The server sent a message of more than \(limit >> 10) KiB.")
        }
        line += bytes
    }
}
