// SPDX-License-Identifier: Apache-2.0

/// Searching, in time linear in both texts: templates and inputs are untrusted.
extension MarkedText {
    /// The places of a text that do not overlap, from the left, at most `limit` of them. An empty text is found before
    /// every character and at the end.
    func positions(of needle: MarkedText, in range: Range<Int>, limit: Int = .max) -> [Int] {
        guard !needle.isEmpty else { return Array((range.lowerBound...range.upperBound).prefix(limit)) }
        var positions: [Int] = []
        let fallbacks = needle.fallbacks
        var matched = 0
        for index in range {
            if positions.count >= limit { break }
            while matched > 0, scalars[index] != needle.scalars[matched] { matched = fallbacks[matched - 1] }
            if scalars[index] == needle.scalars[matched] { matched += 1 }
            if matched == needle.count {
                positions.append(index - matched + 1)
                matched = 0
            }
        }
        return positions
    }

    /// The places of a text that do not overlap, from the right, at most `limit` of them, the rightmost first.
    func positionsFromRight(of needle: MarkedText, in range: Range<Int>, limit: Int = .max) -> [Int] {
        let mirrored = (count - range.upperBound)..<(count - range.lowerBound)
        return reversed.positions(of: needle.reversed, in: mirrored, limit: limit)
            .map { count - $0 - needle.count }
    }

    func contains(_ needle: MarkedText) -> Bool {
        !positions(of: needle, in: 0..<count, limit: 1).isEmpty
    }

    func starts(with prefix: MarkedText, at start: Int = 0) -> Bool {
        count - start >= prefix.count && scalars[start..<(start + prefix.count)].elementsEqual(prefix.scalars)
    }

    func ends(with suffix: MarkedText) -> Bool {
        count >= suffix.count && starts(with: suffix, at: count - suffix.count)
    }

    private var reversed: MarkedText { MarkedText(scalars.reversed(), .template) }

    /// For each beginning of this text the longest shorter one that also ends it (Knuth, Morris and Pratt).
    private var fallbacks: [Int] {
        var table = [Int](repeating: 0, count: count)
        var matched = 0
        for index in 1..<max(count, 1) {
            while matched > 0, scalars[index] != scalars[matched] { matched = table[matched - 1] }
            if scalars[index] == scalars[matched] { matched += 1 }
            table[index] = matched
        }
        return table
    }
}
