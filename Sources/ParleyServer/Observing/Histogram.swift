// SPDX-License-Identifier: Apache-2.0

/// How often values were below some bounds, in Prometheus's form.
struct Histogram: Sendable, Hashable {
    private let bounds: [Double]
    private var counts: [Int]
    private(set) var sum = 0.0
    private(set) var count = 0

    /// Creates an empty histogram; the bounds rise.
    init(bounds: [Double]) {
        self.bounds = bounds
        counts = Array(repeating: 0, count: bounds.count)
    }

    /// Bounds for times from a millisecond to ten minutes, in seconds.
    static let times = Histogram(
        bounds: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600])

    /// Adds a value.
    mutating func add(_ value: Double) {
        sum += value
        count += 1
        if let index = bounds.firstIndex(where: { value <= $0 }) { counts[index] += 1 }
    }

    /// The lines of the histogram.
    func lines(_ name: String) -> [String] {
        var lines = ["# TYPE \(name) histogram"]
        var below = 0
        for (bound, count) in zip(bounds, counts) {
            below += count
            lines.append("\(name)_bucket{le=\"\(bound)\"} \(below)")
        }
        return lines + ["\(name)_bucket{le=\"+Inf\"} \(count)", "\(name)_sum \(sum)", "\(name)_count \(count)"]
    }
}
