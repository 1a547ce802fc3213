// SPDX-License-Identifier: Apache-2.0

/// Finds stop strings in a text that comes in pieces, and holds back what may become one.
///
/// The first to be complete wins, of those complete at once the longest: so neither what it lets through nor where it
/// stops depends on where the text was cut.
package struct StopStringMatcher: Sendable {
    private let patterns: [[UInt8]]
    /// The end of the text so far that is a proper prefix of some pattern.
    private var held: [UInt8] = []

    /// Empty strings are left out: they would match everywhere.
    package init(_ strings: [String]) {
        patterns = strings.map { Array($0.utf8) }.filter { !$0.isEmpty }.sorted { $0.count > $1.count }
    }

    /// Takes a piece of text.
    ///
    /// - Returns: the text that is certainly no part of a stop string, and whether one was found; after that nothing
    ///   more is to be appended.
    package mutating func append(_ text: String) -> (text: String, found: Bool) {
        guard !patterns.isEmpty else { return (text, false) }
        let seen = held.count
        held.append(contentsOf: text.utf8)
        for end in held.indices.dropFirst(seen) {
            let head = held[...end]
            if let pattern = patterns.first(where: { head.suffix($0.count).elementsEqual($0) }) {
                return (take(head.count - pattern.count), true)
            }
        }
        let start = held.indices.first { start in
            patterns.contains { $0.starts(with: held[start...]) }
        }
        return (take(start ?? held.count), false)
    }

    /// The text still held back when the generation ends otherwise.
    package mutating func finish() -> String {
        take(held.count)
    }

    /// Removes and returns the first `count` bytes held.
    private mutating func take(_ count: Int) -> String {
        defer { held.removeSubrange(..<count) }
        return String(decoding: held[..<count], as: UTF8.self)
    }
}
