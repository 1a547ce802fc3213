// SPDX-License-Identifier: Apache-2.0

/// The allowed length of a string in characters. Characters are counted separately from the automaton, instead of
/// unrolling the automaton.
final class LengthBounds: Sendable {
    static let unlimited = Int32.max

    let minimum: Int32
    let maximum: Int32
    /// Whether the automaton allows every text to end or continue after each character, so that only the count matters.
    let isFree: Bool
    /// For each state, the boundary states at which the current character may end; the state itself if it is one.
    private let endings: [[Int32]]
    /// Whether a text of allowed length can still be completed, at [count * boundaryCount + boundary].
    private let isAlive: [Bool]
    private let boundaryCount: Int
    private let levels: Int

    /// Counts the characters of `body`, the automaton inside the quotes; `quoted` is the same between quotes, its
    /// states those of `body` plus one.
    init(
        minimum: Int, maximum: Int?, body: ByteDFA, quoted: ByteDFA, budget: CompilationBudget
    ) throws(ConstraintError) {
        self.minimum = Int32(clamping: min(minimum, Int(Int32.max) - 1))
        self.maximum = Int32(clamping: maximum ?? Int(Self.unlimited))
        isFree = body.isFree
        guard !isFree else {
            (endings, isAlive, boundaryCount, levels) = ([], [], 0, 0)
            return
        }
        let boundaries = quoted.isBoundary.indices.filter { quoted.isBoundary[$0] }
        var indices = [Int32](repeating: -1, count: quoted.stateCount)
        for (index, state) in boundaries.enumerated() { indices[state] = Int32(index) }
        let quote = Int(quoted.columns[Int(UInt8(ascii: "\""))])
        try budget.spend(quoted.stateCount, times: quoted.stride)
        let endings = Self.endings(of: quoted, indices: indices)
        var successors: [[Int32]] = []
        var mayEnd: [Bool] = []
        for state in boundaries {
            let row = quoted.table[(state * quoted.stride)..<((state + 1) * quoted.stride)]
            let targets = row.enumerated().filter { $0.offset != quote && $0.element >= 0 }.map(\.element)
            successors.append(Array(Set(targets.flatMap { endings[Int($0)] })))
            mayEnd.append(row[row.startIndex + quote] >= 0)
        }
        let top = maximum ?? minimum
        let work = successors.reduce(boundaries.count) { $0 + $1.count }
        guard top < 1_000_000, (top + 1) * work <= 4_000_000 else {
            throw ConstraintError(
                .tooLarge,
                "A length of up to \(top) characters is too long in combination with a pattern or format; "
                    + "reduce it, or remove one of them.")
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
        minimum > maximum || (!isFree && (boundaryCount == 0 || !isViable(1, count: 0)))
    }

    /// Whether a text can be completed from a state after a number of characters, including the current one.
    @inline(__always)
    func isViable(_ state: Int32, count: Int32) -> Bool {
        guard count <= maximum else { return false }
        if isFree { return true }
        let level = min(Int(count), levels - 1)
        let targets = endings[Int(state)]
        // After the closing quote there is nothing left to complete.
        return targets.isEmpty || targets.contains { isAlive[level * boundaryCount + Int($0)] }
    }

    private static func endings(of quoted: ByteDFA, indices: [Int32]) -> [[Int32]] {
        let quote = Int(quoted.columns[Int(UInt8(ascii: "\""))])
        var endings = [[Int32]](repeating: [], count: quoted.stateCount)
        for start in 1..<max(quoted.stateCount, 1) {
            var found: Set<Int32> = []
            var seen: Set<Int32> = []
            var pending = [Int32(start)]
            while let state = pending.popLast() {
                guard indices[Int(state)] < 0 else {
                    found.insert(indices[Int(state)])
                    continue
                }
                guard seen.insert(state).inserted else { continue }
                let row = Int(state) * quoted.stride
                for column in 0..<quoted.stride {
                    let target = quoted.table[row + column]
                    if target >= 0, column != quote || !quoted.isBoundary[Int(state)] { pending.append(target) }
                }
            }
            endings[start] = found.sorted()
        }
        return endings
    }
}
