// SPDX-License-Identifier: Apache-2.0

/// A part of a regular expression.
indirect enum SplitExpression: Sendable, Hashable {
    /// How many of several possible matches are tried first, and whether others are tried at all.
    enum Greed: Sendable, Hashable {
        case most, fewest
        /// The most, and no others.
        case possessive
    }

    case set(ScalarSet)
    case sequence([SplitExpression])
    case alternatives([SplitExpression])
    case runs(ScalarSet, ClosedRange<Int>, Greed)
    case repeated(SplitExpression, ClosedRange<Int>)
    case ahead(SplitExpression, isNegative: Bool)
    case behind(ScalarSet, isNegative: Bool)
    case textStart
    case textEnd

    /// The largest number of parts that a match may have one after the other: so deep does the search for it recurse.
    /// Sets in a sequence do not count.
    var depth: Int {
        switch self {
        case .set, .runs, .behind, .textStart, .textEnd: return 1
        case .sequence(let parts):
            return parts.reduce(1) { sum, part in
                if case .set = part { sum } else { sum + part.depth }
            }
        case .alternatives(let parts): return 1 + (parts.map(\.depth).max() ?? 0)
        // Cut so that nested repetitions do not overflow.
        case .repeated(let part, let counts): return min(1 + counts.upperBound * part.depth, 1 << 20)
        case .ahead(let part, _): return 1 + part.depth
        }
    }

    /// The end of the match that begins at a place; nil if there is none.
    ///
    /// - Parameters:
    ///   - text: the text.
    ///   - start: the place.
    ///   - steps: the number of steps that are left, after which nothing matches: an expression may be made to take a
    ///     time that grows with a power of the text's length.
    /// - Returns: the end, or nil.
    func matchEnd(in text: ArraySlice<Unicode.Scalar>, from start: Int, steps: inout Int) -> Int? {
        match(text, start, &steps) { end, _ in end }
    }

    /// Calls `next` with each end of a match, the preferred one first, until it returns an end.
    private func match(
        _ text: ArraySlice<Unicode.Scalar>, _ place: Int, _ steps: inout Int, _ next: (Int, inout Int) -> Int?
    ) -> Int? {
        steps -= 1
        guard steps > 0 else { return nil }
        switch self {
        case .set(let set):
            steps -= set.price
            return place < text.endIndex && set.contains(text[place]) ? next(place + 1, &steps) : nil
        case .sequence(let parts): return Self.match(parts[...], text, place, &steps, next)
        case .alternatives(let parts):
            for part in parts {
                if let end = part.match(text, place, &steps, next) { return end }
            }
            return nil
        case .runs(let set, let counts, let greed): return Self.run(set, counts, greed, text, place, &steps, next)
        case .repeated(let part, let counts):
            return Self.repeated(part, counts.lowerBound, counts.upperBound, text, place, &steps, next)
        case .ahead(let part, let isNegative):
            let found = part.match(text, place, &steps) { end, _ in end } != nil
            return found != isNegative ? next(place, &steps) : nil
        case .behind(let set, let isNegative):
            steps -= set.price
            let found = place > text.startIndex && set.contains(text[place - 1])
            return found != isNegative ? next(place, &steps) : nil
        case .textStart: return place == text.startIndex ? next(place, &steps) : nil
        case .textEnd: return place == text.endIndex ? next(place, &steps) : nil
        }
    }

    private static func match(
        _ parts: ArraySlice<SplitExpression>, _ text: ArraySlice<Unicode.Scalar>, _ place: Int, _ steps: inout Int,
        _ next: (Int, inout Int) -> Int?
    ) -> Int? {
        var (rest, place) = (parts, place)
        // A loop, because texts as patterns have thousands of these.
        while case .set(let set)? = rest.first {
            steps -= set.price
            guard steps > 0, place < text.endIndex, set.contains(text[place]) else { return nil }
            place += 1
            rest = rest.dropFirst()
        }
        guard let first = rest.first else { return next(place, &steps) }
        let others = rest.dropFirst()
        return first.match(text, place, &steps) { end, steps in match(others, text, end, &steps, next) }
    }

    private static func run(
        _ set: ScalarSet, _ counts: ClosedRange<Int>, _ greed: Greed, _ text: ArraySlice<Unicode.Scalar>, _ place: Int,
        _ steps: inout Int, _ next: (Int, inout Int) -> Int?
    ) -> Int? {
        let last = text.endIndex - place > counts.upperBound ? place + counts.upperBound : text.endIndex
        var end = place
        while end < last, set.contains(text[end]) { end += 1 }
        steps -= (end - place + 1) * set.price
        guard end - place >= counts.lowerBound else { return nil }
        switch greed {
        case .possessive: return next(end, &steps)
        case .most:
            for candidate in stride(from: end, through: place + counts.lowerBound, by: -1) {
                if let found = next(candidate, &steps) { return found }
            }
        case .fewest:
            for candidate in place + counts.lowerBound...end {
                if let found = next(candidate, &steps) { return found }
            }
        }
        return nil
    }

    private static func repeated(
        _ part: SplitExpression, _ least: Int, _ most: Int, _ text: ArraySlice<Unicode.Scalar>, _ place: Int,
        _ steps: inout Int, _ next: (Int, inout Int) -> Int?
    ) -> Int? {
        if most > 0 {
            let end = part.match(text, place, &steps) { end, steps in
                end > place ? repeated(part, max(least - 1, 0), most - 1, text, end, &steps, next) : nil
            }
            if let end { return end }
        }
        return least == 0 ? next(place, &steps) : nil
    }
}
