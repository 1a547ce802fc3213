// SPDX-License-Identifier: Apache-2.0

import Foundation
package import ParleyBenchmark

extension ServingResults {
    /// The results as a table.
    ///
    /// - Parameters:
    ///   - plan: the measurements that were made.
    ///   - style: how numbers are emphasised.
    /// - Returns: lines.
    package func text(of plan: ServingPlan, style: TextStyle) -> String {
        var rows: [(label: String, samples: Samples, scale: Double, unit: String)] = speeds.map { streams, speed in
            ("\(streams) repl\(streams == 1 ? "y" : "ies at a time")", speed, 1, "tokens/s")
        }
        func add(_ label: String, _ samples: Samples?) {
            if let samples { rows.append((label, samples, 1_000, "ms")) }
        }
        add("first token, prompt of \(plan.prompt)", firstToken)
        let company = "beside \(plan.longPrompt) and \(plan.companions) replies"
        add("first token of \(plan.shortPrompt) \(company), p99", shortBesideLong)
        add("gap in those replies, p99", gapBesideLong)
        add("first token of \(plan.crowd) with \(plan.common) in common, p50", crowdFirstToken)
        let width = rows.map(\.label.count).max() ?? 0
        return rows.map { row in
            let numbers = [row.samples.median, row.samples.least, row.samples.most]
                .map { String(format: "%.1f", $0 * row.scale) }
            return row.label + String(repeating: " ", count: width - row.label.count)
                + String(repeating: " ", count: max(11 - numbers[0].count, 2)) + style.bold(numbers[0])
                + " \(row.unit)" + style.dim("  (\(numbers[1])–\(numbers[2]))") + "\n"
        }.joined()
    }
}
