// SPDX-License-Identifier: Apache-2.0

/// How long a step takes, as a part that every step has and a part for each of its rows, fitted to the latest steps.
package struct StepPace: Sendable {
    /// How long a step with rows of prompts may take beside replies, unless the replies alone take half of it.
    package static let limit = 0.05
    /// The rows of prompts beside replies while nothing has been measured.
    package static let unmeasured = 32
    /// The weight of the latest step.
    private static let weight = 0.05

    /// The moving averages of rows and seconds, of the rows' square and of their product with the seconds.
    private var mean = (rows: 0.0, time: 0.0, square: 0.0, product: 0.0)
    private var count = 0
    /// The seconds that a further row takes; nil while all steps have had about the same rows.
    private var perRow: Double?

    /// Creates a pace of which nothing is known.
    package init() {}

    /// Records a step.
    package mutating func note(rows: Int, time: Duration) {
        guard rows > 0 else { return }
        let rows = Double(rows)
        // A step in which this program was not given the processor tells little.
        let seconds = min(time / .seconds(1), count < 8 ? .infinity : 4 * (fixed + slope * rows))
        count += 1
        let weight = max(Self.weight, 1 / Double(count))
        mean.rows += (rows - mean.rows) * weight
        mean.time += (seconds - mean.time) * weight
        mean.square += (rows * rows - mean.square) * weight
        mean.product += (rows * seconds - mean.product) * weight
        let variance = mean.square - mean.rows * mean.rows
        guard variance >= 4 else { return }
        let fitted = (mean.product - mean.rows * mean.time) / variance
        perRow = min(max(fitted, mean.time / mean.rows / 64), mean.time / mean.rows)
    }

    private var slope: Double { perRow ?? (mean.rows > 0 ? mean.time / mean.rows : 0) }
    private var fixed: Double { max(mean.time - slope * mean.rows, 0) }

    /// How many rows of prompts keep a step below 50 ms, or below twice the time of the replies alone: 16 at least.
    ///
    /// - Parameters:
    ///   - replies: the rows of the replies.
    ///   - most: the most rows of a step.
    /// - Returns: the number of rows.
    package func promptRows(besides replies: Int, most: Int) -> Int {
        guard count > 0, slope > 0 else { return min(Self.unmeasured, most) }
        let alone = fixed + slope * Double(replies)
        let rows = (max(Self.limit, 2 * alone) - alone) / slope
        return min(max(Int(min(rows, Double(most))), RowShares.fewest), most)
    }

    /// The part of the time of a reply's token that a further row takes, where so many replies share each step; nil while
    /// it has not been measured. From 1 on a guess is never worth its row.
    package func cost(replies: Int) -> Double? {
        guard let perRow, count > 0, replies > 0 else { return nil }
        let time = fixed + perRow * Double(replies)
        return time > 0 ? perRow * Double(replies) / time : nil
    }
}
