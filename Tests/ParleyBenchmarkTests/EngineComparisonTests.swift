// SPDX-License-Identifier: Apache-2.0

import ParleyBenchmark
import Testing

@Suite("EngineComparison")
struct EngineComparisonTests {
    private let comparison = EngineComparison(
        model: "a <model> & more", repetitions: 3,
        runs: [
            EngineRunTests.run("native", decode: 90), EngineRunTests.run("llama.cpp"),
            EngineRun(engine: "third", failure: "It fell over."),
        ])

    @Test("the chart shows the engines that ran, with a bar for each prompt in each panel")
    func chart() {
        let svg = ComparisonChart(comparison).svg
        #expect(svg.contains("a &lt;model> &amp; more"))
        #expect(svg.contains(">native<") && svg.contains(">llama.cpp<") && !svg.contains(">third<"))
        // The background, two in the legend, and two in each of the two panels.
        #expect(svg.split(separator: "<rect").count == 1 + 1 + 2 + 4)
    }
}
