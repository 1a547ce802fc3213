// SPDX-License-Identifier: Apache-2.0

import Foundation
package import ParleyBenchmark
import ParleyConversation
import ParleySystem

extension BenchmarkReport {
    /// The report as a table.
    package func text(style: TextStyle) -> String {
        var rows: [(label: String, samples: Samples, digits: Int, unit: String)] = []
        if let prefill = results.prefill {
            rows.append(("prefill, \(plan.promptTokens) tokens", prefill, 1, "tokens/s"))
        }
        for (depth, speed) in results.decode {
            let place = depth > 0 ? " after \(depth)" : ""
            rows.append(("decode, \(plan.replyTokens) tokens\(place)", speed, 1, "tokens/s"))
        }
        for (sequences, speed) in results.batch {
            rows.append(("decode, \(sequences) sequence\(sequences == 1 ? "" : "s")", speed, 1, "tokens/s"))
        }
        if let joining = results.joining {
            let beside = "beside a prompt of \(plan.joining)"
            rows.append(("wait for a token \(beside)", joining.usualWait, 4, "s"))
            rows.append(("longest wait \(beside)", joining.longestWait, 4, "s"))
            rows.append(("reading that prompt", joining.reading, 3, "s"))
        }
        for (name, result) in results.drafting {
            let name = PlainText.clean(name)
            rows.append(("\(name), \(result.tokens) tokens", result.plain, 1, "tokens/s"))
            let same = result.isSame ? "" : ", ANOTHER REPLY"
            let guesses = "\(result.guesses.right) of \(result.guesses.made) guesses\(same)"
            rows.append((name + ", drafting", result.drafted, 1, "tokens/s, \(guesses)"))
            rows.append((name + ", ratio", result.ratio, 3, ""))
        }
        if let coldStart { rows.append(("first token, cold start", coldStart, 3, "s")) }
        let width = max(rows.map(\.label.count).max() ?? 0, "peak memory".count)
        let lines = rows.map { row in
            let numbers = [row.samples.median, row.samples.least, row.samples.most]
                .map { String(format: "%.\(row.digits)f", $0) }
            return padded(row.label, width) + String(repeating: " ", count: max(11 - numbers[0].count, 2))
                + style.bold(numbers[0]) + " \(row.unit)" + style.dim("  (\(numbers[1])–\(numbers[2]))")
        }
        let memory = "\(ByteSize(clamping: peakMemory))".split(separator: " ")
        let last =
            padded("peak memory", width) + String(repeating: " ", count: max(11 - memory[0].count, 2))
            + style.bold("\(memory[0])") + " \(memory[1])" + style.dim("  (context \(setting.context))")
        return (heading(style) + lines + [last]).map { $0 + "\n" }.joined()
    }

    private func heading(_ style: TextStyle) -> [String] {
        let cache = setting.cacheType.map { $0 == "f16" ? "" : "cache in \($0) · " } ?? ""
        let used = setting.power.map { $0.threads == setting.threads ? "" : "\($0.threads) of " } ?? ""
        let power = setting.power?.remark.map { " (\($0))" } ?? ""
        return [
            // The model's name comes from an untrusted file.
            style.bold(PlainText.clean(setting.name)) + " · " + PlainText.clean(setting.model),
            style.dim(
                "parley \(setting.version), \(setting.build.rawValue) build · \(setting.instructionSet) · \(cache)"
                    + "\(used)\(setting.threads) thread\(setting.threads == 1 ? "" : "s")\(power) · median of \(plan.repetitions) "
                    + "(least–most) · decoding is greedy"),
            "",
        ]
    }

    private func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(width - text.count, 0))
    }
}
