// SPDX-License-Identifier: Apache-2.0

import Foundation
package import ParleyBenchmark
import ParleySystem

extension EngineComparison {
    /// The comparison as a table.
    package func text(style: TextStyle) -> String {
        var lines = [
            style.bold(PlainText.clean(model)),
            style.dim("\(BuildKind.current.rawValue) build · median of \(repetitions) · decoding is greedy"), "",
            style.dim(Self.line(Self.columns)),
        ]
        for run in runs {
            guard run.failure == nil else {
                lines.append("\(Self.padded(run.engine, 0))failed: \(PlainText.clean(run.failure ?? ""))")
                continue
            }
            for (number, row) in run.prompts.enumerated() {
                let head = number == 0 ? [run.engine, Self.number(run.loadSeconds, 3)] : ["", ""]
                let peak = number == 0 ? "\((run.peakMemory + 500_000) / 1_000_000)" : ""
                lines.append(
                    Self.line(
                        head + [
                            "\(row.promptTokens)", Self.number(row.firstToken.median, 3),
                            Self.number(row.prefill, 1), Self.number(row.decode.median, 1), peak,
                        ]))
            }
        }
        let own = runs.filter { $0.model != nil }.map { "\($0.engine): \(PlainText.clean($0.model ?? ""))" }
        if !own.isEmpty { lines += ["", style.dim("models of their own: " + own.joined(separator: " · "))] }
        return lines.map { $0 + "\n" }.joined()
    }

    private static let columns = [
        "engine", "load s", "prompt", "first s", "prefill/s", "decode/s", "peak MB",
    ]
    private static let widths = [12, 9, 9, 10, 11, 10, 9]

    private static func line(_ cells: [String]) -> String {
        zip(cells, widths.indices).map { cell, column in
            column == 0 ? padded(cell, column) : aligned(cell, column)
        }.joined()
    }

    private static func padded(_ text: String, _ column: Int) -> String {
        text + String(repeating: " ", count: max(widths[column] - text.count, 1))
    }

    private static func aligned(_ text: String, _ column: Int) -> String {
        String(repeating: " ", count: max(widths[column] - text.count, 1)) + text
    }

    private static func number(_ value: Double, _ digits: Int) -> String { String(format: "%.\(digits)f", value) }
}
