// SPDX-License-Identifier: Apache-2.0

/// How many lanes a short step runs on, found by trying where other programs take the lanes' cores.
///
/// On a quiet machine it is the usual number. Beside busy programs fewer lanes wait less for each other, and more of
/// them are given more turns; which is faster depends on the system's scheduler. Half and twice the usual number take
/// turns with it for a few steps each; the fastest then stays for a stretch of steps, twice as long each time that it
/// wins again.
public struct LaneTuner {
    private static let stepsPerTrial = 3
    private static let stretches = 32...256

    private let candidates: [Int]
    /// Which candidate runs.
    private var current = 0
    /// The steps left to it.
    private var remaining = 0
    private var stretch = Self.stretches.lowerBound
    private var winner = 0
    /// The time of each candidate's steps in nanoseconds, while candidates are tried.
    private var durations: [Int] = []

    /// How many lanes there should be room for.
    public static func mostLanes(usual: Int) -> Int { usual > 1 ? 2 * usual : 1 }

    /// - Parameters:
    ///   - usual: how many lanes are best on a quiet machine.
    ///   - most: how many there can be.
    public init(usual: Int, most: Int) {
        candidates = [usual, max(usual / 2, 1), min(usual * 2, most)]
    }

    /// The number of lanes for the next step.
    public var lanes: Int { candidates[current] }

    /// Takes note of a step that ran on ``lanes``.
    ///
    /// - Parameters:
    ///   - duration: how long it took, in nanoseconds.
    ///   - isCrowded: whether other programs take the lanes' cores.
    public mutating func record(duration: Int, isCrowded: Bool) {
        if durations.isEmpty {
            remaining -= 1
            guard remaining <= 0 else { return }
            if isCrowded { beginTrial() } else { (current, stretch) = (0, Self.stretches.lowerBound) }
            return
        }
        durations[current] += duration
        remaining -= 1
        guard remaining == 0 else { return }
        current += 1
        remaining = Self.stepsPerTrial
        if current == candidates.count { endTrial() }
    }

    private mutating func beginTrial() {
        current = 0
        remaining = Self.stepsPerTrial
        durations = Array(repeating: 0, count: candidates.count)
    }

    private mutating func endTrial() {
        let fastest = durations.indices.min { durations[$0] < durations[$1] } ?? 0
        stretch = fastest == winner ? min(stretch * 2, Self.stretches.upperBound) : Self.stretches.lowerBound
        (current, winner, remaining) = (fastest, fastest, stretch)
        durations = []
    }
}
