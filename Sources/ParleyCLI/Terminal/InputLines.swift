// SPDX-License-Identifier: Apache-2.0

/// The lines of standard input as the bytes that they are, each as soon as it is there.
///
/// `readLine()` puts other characters in the place of what is not text, without telling.
package struct InputLines {
    /// What has been read and belongs to later lines.
    private var rest: [UInt8] = []
    private let read: () -> [UInt8]?

    /// Creates the lines of an input.
    ///
    /// - Parameter read: returns bytes that have come, perhaps none; nil at the end of the input.
    package init(reading read: @escaping () -> [UInt8]? = { Terminal.read(timeout: -1) }) {
        self.read = read
    }

    /// The next line without its line feed; nil at the end of the input.
    package mutating func next() -> [UInt8]? {
        var searched = 0
        while true {
            if let end = rest[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { rest.removeFirst(end + 1) }
                return Array(rest[..<end])
            }
            searched = rest.count
            guard let more = read() else {
                defer { rest = [] }
                return rest.isEmpty ? nil : rest
            }
            rest += more
        }
    }
}
