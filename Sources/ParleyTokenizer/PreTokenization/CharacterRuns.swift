// SPDX-License-Identifier: Apache-2.0

/// A set of characters: whole classes, and ranges of code points.
///
/// Ranges never match white space outside ASCII, as in llama.cpp.
struct CharacterClassSet: Sendable {
    var classes: CharacterClass = []
    /// In ascending order, without overlap.
    var ranges: [ClosedRange<UInt32>] = []
    /// Whether the set contains all characters except those named.
    var isInverted = false

    @inline(__always)
    func contains(_ scalar: UInt32, _ kind: CharacterClass) -> Bool {
        if classes.contains(kind) { return !isInverted }
        if ranges.isEmpty || kind == .whitespace && scalar > 0x7F { return isInverted }
        var low = 0
        var high = ranges.count
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < scalar { low = middle + 1 } else { high = middle }
        }
        return (low < ranges.count && ranges[low].lowerBound <= scalar) != isInverted
    }
}

/// Runs of characters of one set, perhaps with one white-space character before: `\s?[…]+`, ` ?[…]+`, `[…]{1,3}`.
struct CharacterRuns: WordPattern {
    enum Lead { case nothing, space, whitespace }

    var characters: CharacterClassSet
    var lead = Lead.nothing
    var lengths = 1...Int.max

    func matchEnd(in text: ClassifiedText, from start: Int, before limit: Int) -> Int {
        var first = start
        switch lead {
        case .nothing: break
        case .space: if text.scalars[start] == 0x20 { first += 1 }
        case .whitespace: if text.classes[start] == .whitespace { first += 1 }
        }
        let end = runEnd(in: text, from: first, before: limit)
        if end > first || first == start { return end }
        // If no run follows the lead, the lead character itself may begin the run.
        return runEnd(in: text, from: start, before: limit)
    }

    @inline(__always)
    private func runEnd(in text: ClassifiedText, from start: Int, before limit: Int) -> Int {
        let last = limit - start > lengths.upperBound ? start + lengths.upperBound : limit
        var end = start
        while end < last, characters.contains(text.scalars[end], text.classes[end]) { end += 1 }
        return end - start < lengths.lowerBound ? start : end
    }
}

/// `\s+$`: the white space at the end of a piece.
struct TrailingWhitespace: WordPattern {
    func matchEnd(in text: ClassifiedText, from start: Int, before limit: Int) -> Int {
        text.runEnd(of: .whitespace, from: start, before: limit) == limit ? limit : start
    }

    // Scans from the end; otherwise white space before a word would be scanned again for each of its characters.
    func cut(_ text: ClassifiedText, at ends: [Int]) -> [Int] {
        var result: [Int] = []
        var start = 0
        for limit in ends {
            var first = limit
            while first > start, text.classes[first - 1] == .whitespace { first -= 1 }
            if first > start { result.append(first) }
            if first < limit { result.append(limit) }
            start = limit
        }
        return result
    }
}

/// `[^\n]+|[\n]+`: lines, and the line feeds between them.
struct Lines: WordPattern {
    func matchEnd(in text: ClassifiedText, from start: Int, before limit: Int) -> Int {
        let isBreak = text.scalars[start] == 0x0A
        var end = start + 1
        while end < limit, (text.scalars[end] == 0x0A) == isBreak { end += 1 }
        return end
    }
}
