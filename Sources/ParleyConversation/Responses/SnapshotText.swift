// SPDX-License-Identifier: Apache-2.0

/// Turns snapshots of a growing text, each of them the whole text so far, into the pieces by which it grows, and ends it
/// at the first stop string.
package struct SnapshotText: Sendable {
    private let stops: [[UInt8]]
    private var written: [UInt8] = []
    /// Whether a stop string was found; nothing more is written then.
    package private(set) var isStopped = false

    /// Begins an empty text.
    package init(stops: [String]) { self.stops = stops.map { Array($0.utf8) }.filter { !$0.isEmpty } }

    /// What was written so far.
    package var text: String { String(decoding: written, as: UTF8.self) }
    /// The number of bytes that were written so far.
    package var byteCount: Int { written.count }

    /// Takes a snapshot.
    ///
    /// What may be the beginning of a stop string is held back until a later snapshot shows whether it is. Text that was
    /// written cannot be taken back, so a snapshot that does not begin with it adds nothing.
    ///
    /// - Parameters:
    ///   - whole: the whole text so far.
    ///   - isLast: whether there will be no other snapshot.
    /// - Returns: what is new; empty if nothing is.
    package mutating func take(_ whole: String, isLast: Bool = false) -> String {
        if isStopped { return "" }
        let bytes = Array(whole.utf8)
        var end = bytes.count
        // A stop string may have begun in what was held back, never in what was written.
        if let stop = Self.first(of: stops, in: bytes, from: written.count) {
            (end, isStopped) = (stop, true)
        } else if !isLast {
            end -= Self.heldBack(stops, at: bytes)
        }
        guard end > written.count, bytes.starts(with: written) else { return "" }
        let new = bytes[written.count..<end]
        written += new
        return String(decoding: new, as: UTF8.self)
    }

    private static func first(of stops: [[UInt8]], in bytes: [UInt8], from start: Int) -> Int? {
        guard !stops.isEmpty, start < bytes.count else { return nil }
        return (start..<bytes.count).first { place in stops.contains { bytes[place...].starts(with: $0) } }
    }

    /// The length of the longest end of the text with which a stop string begins.
    private static func heldBack(_ stops: [[UInt8]], at bytes: [UInt8]) -> Int {
        stops.map { stop in
            (0..<min(stop.count, bytes.count + 1)).last { bytes.suffix($0).elementsEqual(stop.prefix($0)) } ?? 0
        }.max() ?? 0
    }
}
