// SPDX-License-Identifier: Apache-2.0

package import ParleyJSON

/// The values of one quantity that was measured several times.
package struct Samples: Sendable, Hashable {
    /// The values, in the order in which they were measured.
    package let values: [Double]

    /// Creates samples from at least one value.
    package init(_ values: [Double]) {
        precondition(!values.isEmpty, "samples without a value")
        self.values = values
    }

    /// The middle value, or the mean of the two in the middle.
    package var median: Double {
        let sorted = values.sorted()
        let middle = sorted.count / 2
        return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }

    /// The smallest value that so many of a hundred do not exceed.
    package func percentile(_ percent: Int) -> Double {
        let sorted = values.sorted()
        let rank = (sorted.count * percent + 99) / 100
        return sorted[min(max(rank - 1, 0), sorted.count - 1)]
    }

    /// The smallest value.
    package var least: Double { values.reduce(.infinity, min) }

    /// The largest value.
    package var most: Double { values.reduce(-.infinity, max) }

    /// The samples as a JSON object.
    package var json: JSONObject {
        [
            "median": .number(median), "least": .number(least), "most": .number(most),
            "samples": .array(values.map { .number($0) }),
        ]
    }
}
