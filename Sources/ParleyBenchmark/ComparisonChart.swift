// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A chart that compares engines: bars for each prompt, in one panel for prefill and one for decoding.
///
/// See <https://www.w3.org/TR/SVG11/>.
package struct ComparisonChart {
    private let comparison: EngineComparison

    private static let width = 760.0
    private static let panelHeight = 240.0
    private static let margin = (left: 64.0, top: 66.0, bottom: 34.0, right: 16.0)
    /// Colours that readers with colour blindness can distinguish.
    private static let colours = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442"]

    /// Creates the chart of a comparison.
    package init(_ comparison: EngineComparison) {
        self.comparison = comparison
    }

    /// The chart as an SVG document.
    package var svg: String {
        let runs = comparison.runs.filter { $0.failure == nil && !$0.prompts.isEmpty }
        let height = 2 * Self.panelHeight + 24
        var parts = [
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"\(Int(Self.width))\" height=\"\(Int(height))\" "
                + "viewBox=\"0 0 \(Int(Self.width)) \(Int(height))\" font-family=\"sans-serif\" font-size=\"12\">",
            "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>",
            // A path's last name alone, beside which the engines have their place.
            Self.text(
                comparison.model.split(separator: "/").last.map(String.init) ?? comparison.model, x: 16, y: 20,
                more: "font-size=\"14\" font-weight=\"bold\""),
        ]
        // What the model's name leaves of the width.
        let place = min(150, 0.7 * Self.width / Double(max(runs.count, 1)))
        for (number, run) in runs.enumerated() {
            let x = Self.width - place * Double(runs.count - number)
            parts.append(Self.bar(x: x, y: 10, width: 12, height: 12, colour: number))
            parts.append(Self.text(run.engine, x: x + 18, y: 20))
        }
        parts += panel("Prompt, tokens per second", runs, top: 0) { $0.prefill }
        parts += panel("Reply, tokens per second", runs, top: Self.panelHeight) { $0.decode.median }
        return parts.joined(separator: "\n") + "\n</svg>\n"
    }

    private func panel(
        _ title: String, _ runs: [EngineRun], top: Double, value: (PromptResult) -> Double
    ) -> [String] {
        let prompts = runs.map { $0.prompts.map(\.promptTokens) }.max { $0.count < $1.count } ?? []
        let most = runs.flatMap(\.prompts).map(value).reduce(0, max)
        guard most > 0, !prompts.isEmpty else { return [] }
        let floor = top + Self.panelHeight - Self.margin.bottom
        let height = Self.panelHeight - Self.margin.top - Self.margin.bottom
        let group = (Self.width - Self.margin.left - Self.margin.right) / Double(prompts.count)
        let bar = min(group * 0.8 / Double(runs.count), 60)
        var parts = [
            Self.text(title, x: 16, y: top + 44),
            "<line x1=\"\(Self.margin.left)\" y1=\"\(floor)\" x2=\"\(Self.width - Self.margin.right)\" y2=\"\(floor)\" "
                + "stroke=\"#888\"/>",
        ]
        for (column, prompt) in prompts.enumerated() {
            let middle = Self.margin.left + group * (Double(column) + 0.5)
            parts.append(Self.text("\(prompt) tokens", x: middle, y: floor + 18, more: "text-anchor=\"middle\""))
            for (number, run) in runs.enumerated() where run.prompts.indices.contains(column) {
                let value = value(run.prompts[column])
                let length = height * value / most
                let x = middle + bar * (Double(number) - Double(runs.count) / 2)
                parts.append(Self.bar(x: x, y: floor - length, width: bar - 4, height: length, colour: number))
                parts.append(
                    Self.text(
                        String(format: value < 100 ? "%.1f" : "%.0f", value), x: x + (bar - 4) / 2,
                        y: floor - length - 4, more: "text-anchor=\"middle\" font-size=\"11\""))
            }
        }
        return parts
    }

    private static func bar(x: Double, y: Double, width: Double, height: Double, colour: Int) -> String {
        String(format: "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"", x, y, width, height)
            + colours[colour % colours.count] + "\"/>"
    }

    private static func text(_ text: String, x: Double, y: Double, more: String = "") -> String {
        // XML does not allow control characters, even escaped.
        let characters = String(text.unicodeScalars.filter { $0.properties.generalCategory != .control })
        let escaped = characters.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
        return String(format: "<text x=\"%.1f\" y=\"%.1f\" ", x, y) + "\(more)>\(escaped)</text>"
    }
}
