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
    /// For each boundary, the least number of characters to the end, where texts can be made longer one by one: a length
    /// takes no memory then. Otherwise empty.
    private let least: [Int32]

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
    /// With `isOpen`, every text before the mark can be made longer.
    convenience init(
        minimum: Int, maximum: Int?, ended: ByteDFA, isOpen: Bool, budget: CompilationBudget
    ) throws(ConstraintError) {
        try self.init(
            minimum, maximum, ended, quote: nil, isFree: false, isOpen: isOpen, budget: budget,
            tooLong: "for a string without quotes and with a pattern or format; reduce it, or remove one of them.")
    }

    private init(
        _ minimum: Int, _ maximum: Int?, _ automaton: ByteDFA, quote: UInt8?, isFree: Bool, isOpen: Bool = false,
        budget: CompilationBudget, tooLong: String
    ) throws(ConstraintError) {
        self.minimum = Int32(clamping: min(minimum, Int(Int32.max) - 1))
        self.maximum = Int32(clamping: maximum ?? Int(Self.unlimited))
        self.quote = quote
        self.isFree = isFree
        guard !isFree else {
            (endings, isAlive, boundaryCount, levels, least) = ([], [], 0, 0, [])
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
        let distances = Self.distances(successors, mayEnd)
        if isOpen || Self.areGapless(successors, distances) {
            (isAlive, boundaryCount, levels, least) = ([], boundaries.count, 0, distances)
            self.endings = endings
            return
        }
        least = []
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
        if !least.isEmpty { return targets.contains { count <= maximum - least[Int($0)] } }
        let level = min(Int(count), levels - 1)
        return targets.contains { isAlive[level * boundaryCount + Int($0)] }
    }

    /// For each boundary, the least number of steps to one at which a text may end.
    private static func distances(_ successors: [[Int32]], _ mayEnd: [Bool]) -> [Int32] {
        var sources = [[Int]](repeating: [], count: successors.count)
        for (index, targets) in successors.enumerated() {
            for target in targets { sources[Int(target)].append(index) }
        }
        var distances = mayEnd.map { $0 ? 0 : unlimited }
        var reached = mayEnd.indices.filter { mayEnd[$0] }
        var next = 0
        while next < reached.count {
            let index = reached[next]
            next += 1
            for source in sources[index] where distances[source] == unlimited {
                distances[source] = distances[index] + 1
                reached.append(source)
            }
        }
        return distances
    }

    /// Whether from each boundary a text can be completed with every number of characters from the least one on: after
    /// some next character no more are needed than before it, and so on.
    private static func areGapless(_ successors: [[Int32]], _ least: [Int32]) -> Bool {
        successors.indices.allSatisfy { index in successors[index].contains { least[Int($0)] <= least[index] } }
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
