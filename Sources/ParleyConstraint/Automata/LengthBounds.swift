// SPDX-License-Identifier: Apache-2.0

/// The allowed length of a string in characters. Characters are counted separately from the automaton, instead of
/// unrolling the automaton.
final class LengthBounds: Sendable {
    static let unlimited = Int32.max

    let minimum: Int32
    let maximum: Int32
    /// The byte around the text, which is no character of it; nil if a mark behind the text is counted with it.
    let quote: UInt8?
    /// Whether the automaton allows every text to end or continue after each character, so that only the count matters.
    let isFree: Bool
    /// For each state, the boundary states at which the current character may end; the state itself if it is one.
    private let endings: [[Int32]]
    /// Whether a text of allowed length can still be completed, at [count * boundaryCount + boundary].
    private let isAlive: [Bool]
    private let boundaryCount: Int
    private let levels: Int
    /// For each boundary, how long the rest of a text may be, where two numbers say it: a length takes no memory then.
    /// Otherwise empty.
    private let rests: [Rest]

    /// The numbers of characters with which a text can be completed.
    private struct Rest {
        /// The least one.
        var least: Int
        /// That from which on all are possible; between the two none is.
        var open: Int

        /// More than any length: no text can be completed so.
        static let never = 2 * Int(Int32.max)
    }

    /// Counts the characters of `body`, the automaton inside the quotes; `quoted` is the same between quotes, its
    /// states those of `body` plus one.
    convenience init(
        minimum: Int, maximum: Int?, body: ByteDFA, quoted: ByteDFA, budget: CompilationBudget
    ) throws(ConstraintError) {
        try self.init(
            minimum, maximum, quoted, quote: UInt8(ascii: "\""), isFree: body.isFree, budget: budget,
            tooLong: "in combination with a pattern or format; reduce it, or remove one of them.")
    }

    /// Counts the characters of an automaton that ``ByteDFA/ended(by:budget:)`` has built, those of the mark included.
    convenience init(
        minimum: Int, maximum: Int?, ended: ByteDFA, budget: CompilationBudget
    ) throws(ConstraintError) {
        try self.init(
            minimum, maximum, ended, quote: nil, isFree: false, budget: budget,
            tooLong: "for a string without quotes and with a pattern or format; reduce it, or remove one of them.")
    }

    private init(
        _ minimum: Int, _ maximum: Int?, _ automaton: ByteDFA, quote: UInt8?, isFree: Bool, budget: CompilationBudget,
        tooLong: String
    ) throws(ConstraintError) {
        self.minimum = Int32(clamping: min(minimum, Int(Int32.max) - 1))
        self.maximum = Int32(clamping: maximum ?? Int(Self.unlimited))
        self.quote = quote
        self.isFree = isFree
        guard !isFree else {
            (endings, isAlive, boundaryCount, levels, rests) = ([], [], 0, 0, [])
            return
        }
        let boundaries = automaton.isBoundary.indices.filter { state in
            automaton.isBoundary[state] || (quote == nil && automaton.tags[state] >= 0)
        }
        var indices = [Int32](repeating: -1, count: automaton.stateCount)
        for (index, state) in boundaries.enumerated() { indices[state] = Int32(index) }
        let quoteColumn = quote.map { Int(automaton.columns[Int($0)]) }
        try budget.spend(automaton.stateCount, times: automaton.stride)
        let endings = Self.endings(of: automaton, indices: indices, quoteColumn)
        var successors: [[Int32]] = []
        var mayEnd: [Bool] = []
        for state in boundaries {
            let row = automaton.table[(state * automaton.stride)..<((state + 1) * automaton.stride)]
            let targets = row.enumerated().filter { $0.offset != quoteColumn && $0.element >= 0 }.map(\.element)
            successors.append(Array(Set(targets.flatMap { endings[Int($0)] })))
            mayEnd.append(quoteColumn.map { row[row.startIndex + $0] >= 0 } ?? (automaton.tags[state] >= 0))
        }
        if let rests = Self.rests(successors, mayEnd) {
            (isAlive, boundaryCount, levels, self.rests) = ([], boundaries.count, 0, rests)
            self.endings = endings
            return
        }
        rests = []
        let top = maximum ?? minimum
        let work = successors.reduce(boundaries.count) { $0 + $1.count }
        guard top < 1_000_000, (top + 1) * work <= 4_000_000 else {
            throw ConstraintError(.tooLarge, "A length of up to \(top) characters is too long \(tooLong)")
        }
        try budget.spend(top + 1, times: work)
        levels = top + 1
        boundaryCount = boundaries.count
        var alive = [Bool](repeating: maximum == nil, count: levels * boundaries.count)
        for count in stride(from: top, through: 0, by: -1) where maximum != nil || count < top {
            for boundary in boundaries.indices {
                alive[count * boundaries.count + boundary] =
                    (count >= minimum && mayEnd[boundary])
                    || (count < top
                        && successors[boundary].contains { alive[(count + 1) * boundaries.count + Int($0)] })
            }
        }
        isAlive = alive
        self.endings = endings
    }

    /// Whether there is no string of an allowed length.
    var isEmpty: Bool {
        minimum > maximum || (!isFree && (boundaryCount == 0 || !isViable(quote == nil ? 0 : 1, count: 0)))
    }

    /// Whether a text can be completed from a state after a number of characters, including the current one.
    @inline(__always)
    func isViable(_ state: Int32, count: Int32) -> Bool {
        guard count <= maximum else { return false }
        if isFree { return true }
        let targets = endings[Int(state)]
        // After the closing quote there is nothing left to complete.
        guard !targets.isEmpty else { return true }
        if !rests.isEmpty { return targets.contains { allows(rests[Int($0)], after: Int(count)) } }
        let level = min(Int(count), levels - 1)
        return targets.contains { isAlive[level * boundaryCount + Int($0)] }
    }

    private func allows(_ rest: Rest, after count: Int) -> Bool {
        let least = count + rest.least
        return least <= Int(maximum) && (least >= Int(minimum) || count + rest.open <= Int(maximum))
    }

    /// How long the rest of a text may be at each boundary; nil where two numbers do not say it.
    private static func rests(_ successors: [[Int32]], _ mayEnd: [Bool]) -> [Rest]? {
        var sources = [[Int]](repeating: [], count: successors.count)
        for (index, targets) in successors.enumerated() {
            for target in targets { sources[Int(target)].append(index) }
        }
        let least = distances(sources, to: mayEnd.map { $0 ? 0 : Rest.never })
        let isOpen = areOpen(successors, sources, least)
        let open = distances(sources, to: least.indices.map { isOpen[$0] ? least[$0] : Rest.never })
        let areAll = successors.indices.allSatisfy { index in
            isOpen[index]
                || successors[index].allSatisfy { next in
                    let length = least[Int(next)] + 1
                    return length == least[index] || length >= open[index]
                }
        }
        return areAll ? zip(least, open).map { Rest(least: $0, open: $1) } : nil
    }

    /// The least number of steps from each boundary, by way of those from which it is known.
    private static func distances(_ sources: [[Int]], to known: [Int]) -> [Int] {
        var distances = known
        let farthest = known.filter { $0 < Rest.never }.max() ?? 0
        // By their distance. Those from which a shorter way is found stand in two places.
        var waves = [[Int]](repeating: [], count: farthest + 1)
        for index in known.indices where known[index] < Rest.never { waves[known[index]].append(index) }
        var distance = 0
        while distance < waves.count {
            for index in waves[distance] where distances[index] == distance {
                for source in sources[index] where distances[source] > distance + 1 {
                    distances[source] = distance + 1
                    if waves.count == distance + 1 { waves.append([]) }
                    waves[distance + 1].append(source)
                }
            }
            distance += 1
        }
        return distances
    }

    /// Whether from each boundary a text can be completed with every number of characters from the least one on: after
    /// some next character no more are needed than before it, and so on.
    private static func areOpen(_ successors: [[Int32]], _ sources: [[Int]], _ least: [Int]) -> [Bool] {
        var ways = successors.indices.map { index in successors[index].count { least[Int($0)] <= least[index] } }
        var closed = ways.indices.filter { ways[$0] == 0 }
        while let index = closed.popLast() {
            for source in sources[index] where least[index] <= least[source] {
                ways[source] -= 1
                if ways[source] == 0 { closed.append(source) }
            }
        }
        return ways.map { $0 > 0 }
    }

    /// For each state, the boundary states; those before an opening quote have none.
    private static func endings(of automaton: ByteDFA, indices: [Int32], _ quoteColumn: Int?) -> [[Int32]] {
        var endings = [[Int32]](repeating: [], count: automaton.stateCount)
        for start in automaton.tags.indices.dropFirst(quoteColumn == nil ? 0 : 1) {
            var found: Set<Int32> = []
            var seen: Set<Int32> = []
            var pending = [Int32(start)]
            while let state = pending.popLast() {
                guard indices[Int(state)] < 0 else {
                    found.insert(indices[Int(state)])
                    continue
                }
                guard seen.insert(state).inserted else { continue }
                let row = Int(state) * automaton.stride
                for column in 0..<automaton.stride {
                    let target = automaton.table[row + column]
                    if target >= 0, column != quoteColumn || !automaton.isBoundary[Int(state)] {
                        pending.append(target)
                    }
                }
            }
            endings[start] = found.sorted()
        }
        return endings
    }
}
