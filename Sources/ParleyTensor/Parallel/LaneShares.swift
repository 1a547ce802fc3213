// SPDX-License-Identifier: Apache-2.0

/// Divides the work of steps among lanes whose cores differ in speed, so that all of them finish at the same time.
///
/// The lanes of a step wait for each other after each operation, so that with equal shares the slowest core sets the pace.
/// Shares begin equal and follow what was seen: a lane that waits less than the others gets less. Cores of the same speed
/// keep equal shares, for a difference must be large and seen twice in a row to count, which excludes a core that another
/// program used for a moment.
package struct LaneShares {
    /// The work of an operation in the unit of ``bounds``.
    package static let whole = 1 << 16

    /// How much time of steps is judged together, in nanoseconds.
    private static let window = 20_000_000
    /// Speeds that differ from the average by no more than this fraction count as equal.
    private static let tolerance = 0.1
    /// The smallest share, as a fraction of an equal one: a lane without work could not be measured.
    private static let smallest = 0.25

    /// Each lane's part of the work.
    private var shares: [Double]
    private var worked: [Double]
    private var duration = 0.0
    /// The shares that the window before this one would have needed.
    private var previous: [Double]?

    /// Creates equal shares.
    ///
    /// - Parameter lanes: the number of lanes, at least 1.
    package init(lanes: Int) {
        shares = Array(repeating: 1 / Double(lanes), count: lanes)
        worked = Array(repeating: 0, count: lanes)
    }

    /// Where the share of each lane begins, and, last, ``whole``.
    package var bounds: [Int] {
        var end = 0.0
        let ends = shares.dropLast().map { share in
            end += share
            return Int((end * Double(Self.whole)).rounded())
        }
        return [0] + ends + [Self.whole]
    }

    /// Whether all lanes have the same share.
    package var areEqual: Bool { shares.allSatisfy { $0 == shares[0] } }

    /// Records a step in which all lanes took part.
    ///
    /// - Parameters:
    ///   - duration: how long the step took.
    ///   - waited: how long each lane waited for the others, in the same unit as the duration, nanoseconds.
    /// - Returns: whether the shares have changed.
    package mutating func record(duration: Int, waited: some Sequence<Int>) -> Bool {
        for (lane, time) in zip(shares.indices, waited) { worked[lane] += Double(max(duration - time, 0)) }
        self.duration += Double(duration)
        guard self.duration >= Double(Self.window) else { return false }
        defer {
            self.duration = 0
            for lane in shares.indices { worked[lane] = 0 }
        }
        let needed = needed()
        guard let previous else {
            previous = needed
            return false
        }
        self.previous = needed
        // Of the two windows, for each lane the one that asks for less change; none if they contradict each other.
        var next = shares.indices.map { lane in
            let (first, second) = (previous[lane] - shares[lane], needed[lane] - shares[lane])
            guard first * second > 0 else { return shares[lane] }
            return shares[lane] + (abs(first) < abs(second) ? first : second)
        }
        let change = zip(next, shares).map { abs($0 / $1 - 1) }.max() ?? 0
        guard change > Self.tolerance else { return false }
        let equal = 1 / Double(next.count)
        if next.allSatisfy({ abs($0 / equal - 1) <= Self.tolerance }) {
            next = next.map { _ in equal }
        }
        let sum = next.reduce(0, +)
        shares = next.map { $0 / sum }
        self.previous = nil  // What was needed has been given.
        return true
    }

    /// The shares with which all lanes would have worked equally long.
    private func needed() -> [Double] {
        let speeds = zip(shares, worked).map { share, time in share / max(time, self.duration * 0.01) }
        let sum = speeds.reduce(0, +)
        return speeds.map { max($0 / sum, Self.smallest / Double(shares.count)) }
    }
}
