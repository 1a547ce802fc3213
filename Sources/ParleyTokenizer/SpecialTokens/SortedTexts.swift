// SPDX-License-Identifier: Apache-2.0

/// Texts in lexicographic order: those that occur at a place of another text are found without comparing each of them.
///
/// None is longer than ``TokenizerError/longestToken`` units, so that looking for them at each place of a text takes a
/// time in proportion to that text's length.
struct SortedTexts<Unit: Comparable & Hashable & Sendable>: Sendable {
    private let texts: [[Unit]]
    /// The texts that begin with each unit.
    private let byFirst: [Unit: Range<Int>]

    /// - Parameter texts: the texts in order, of which empty ones occur nowhere.
    /// - Throws: ``TokenizerError`` if a text is too long.
    init(_ texts: [[Unit]]) throws(TokenizerError) {
        for text in texts where text.count > TokenizerError.longestToken { throw .tooLong(text.count) }
        self.texts = texts
        var ranges: [Unit: Range<Int>] = [:]
        for (index, text) in texts.enumerated() {
            guard let first = text.first else { continue }
            ranges[first] = (ranges[first]?.lowerBound ?? index)..<index + 1
        }
        byFirst = ranges
    }

    /// The texts that begin with a unit.
    func range(beginningWith first: Unit) -> Range<Int> { byFirst[first] ?? 0..<0 }

    /// Finds the texts that occur at a place.
    ///
    /// - Parameters:
    ///   - candidates: those that begin with the unit at the place.
    ///   - text: the text.
    ///   - start: the place.
    ///   - body: called with the numbers of those of a length, which are equal, and with the length; shorter ones first.
    func forEach(
        of candidates: Range<Int>, in text: [Unit], at start: Int, _ body: (_ equal: Range<Int>, _ length: Int) -> Void
    ) {
        var candidates = candidates
        var length = 1
        while !candidates.isEmpty {
            // The candidates have the same first units; those that end there are the first of them.
            let longer = candidates.partitionPoint { texts[$0].count == length }
            if longer > candidates.lowerBound { body(candidates.lowerBound..<longer, length) }
            candidates = longer..<candidates.upperBound
            guard !candidates.isEmpty, start + length < text.count else { return }
            let next = text[start + length]
            let lower = candidates.partitionPoint { texts[$0][length] < next }
            candidates = lower..<(lower..<candidates.upperBound).partitionPoint { texts[$0][length] <= next }
            length += 1
        }
    }
}

extension Range<Int> {
    /// The first element for which `precedes` is false; all before it are true, all after it false.
    func partitionPoint(_ precedes: (Int) -> Bool) -> Int {
        var low = lowerBound
        var high = upperBound
        while low < high {
            let middle = low + (high - low) / 2
            if precedes(middle) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
