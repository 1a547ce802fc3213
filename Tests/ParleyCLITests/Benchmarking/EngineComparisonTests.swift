// SPDX-License-Identifier: Apache-2.0

import ParleyCLI
import Testing

@Suite("EngineComparison")
struct EngineComparisonTests {
    private let comparison = EngineComparison(
        model: "a <model> & more", repetitions: 3,
        runs: [
            EngineRunTests.run("native", decode: 90), EngineRunTests.run("llama.cpp"),
            EngineRun(engine: "third", failure: "It fell over."),
        ])

    @Test("the table has a line for each engine, and says why one failed")
    func table() {
        let lines = comparison.text(style: TextStyle(isEnabled: false)).split(separator: "\n")
        #expect(lines.filter { $0.hasPrefix("native") && $0.contains("64.0") && $0.contains("90.0") }.count == 1)
        #expect(lines.filter { $0.hasPrefix("llama.cpp") && $0.contains("40.0") && $0.contains("123") }.count == 1)
        #expect(lines.last == "third       failed: It fell over.")
    }

    @Test("the chart shows the engines that ran, with a bar for each prompt in each panel")
    func chart() {
        let svg = ComparisonChart(comparison).svg
        #expect(svg.contains("a &lt;model> &amp; more"))
        #expect(svg.contains(">native<") && svg.contains(">llama.cpp<") && !svg.contains(">third<"))
        // The paper, two in the legend, and two in each of two panels.
        #expect(svg.split(separator: "<rect").count == 1 + 1 + 2 + 4)
    }

    @Test("prompts longer than the model was trained for are left out")
    func fits() {
        var plan = EngineComparisonPlan()
        #expect(plan.fit(trainedContext: 8_192) == 4_096 + plan.replyTokens)
        #expect(plan.fit(trainedContext: 1_024) == 512 + plan.replyTokens)
        #expect(plan.prompts.map(\.name) == ["short", "medium"])
        #expect(plan.fit(trainedContext: 8) >= 1)
        #expect(plan.prompts.isEmpty)
    }
}
