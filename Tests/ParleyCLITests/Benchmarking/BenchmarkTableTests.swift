// SPDX-License-Identifier: Apache-2.0

import ParleyBenchmark
import ParleyCLI
import ParleyConversation
import Testing

@Suite("The tables of parley bench")
struct BenchmarkTableTests {
    @Test("the table of one model has a line for each figure, and names from the file cannot steer the terminal")
    func report() {
        var (plan, results) = (BenchmarkPlan(), BenchmarkResults())
        plan.repetitions = 3
        results.prefill = Samples([3_000, 3_700.25, 3_800])
        results.decode = [(0, Samples([370, 375, 380])), (4_096, Samples([100, 110, 120]))]
        results.batch = [(8, Samples([900, 950, 990]))]
        let report = BenchmarkReport(
            setting: .init(
                model: "tiny.gguf", name: "Ti\u{1b}ny", version: "1.2.3", build: .release, instructionSet: "avx2",
                threads: 2, context: 640), plan: plan, results: results, coldStart: Samples([0.08, 0.0812, 0.09]),
            peakMemory: 151_600_000)
        let text = report.text(style: TextStyle(isEnabled: false))
        #expect(!text.contains("\u{1b}"))
        let lines = text.split(separator: "\n").map(String.init)
        #expect(lines.count == 2 + 6)
        #expect(lines[1].contains("release build · avx2 · 2 threads · median of 3"))
        #expect(lines[2] == "prefill, 512 tokens               3700.2 tokens/s  (3000.0–3800.0)")
        #expect(lines[4].hasPrefix("decode, 128 tokens after 4096"))
        #expect(lines[6].hasSuffix("0.081 s  (0.080–0.090)"))
        #expect(lines[7].hasSuffix("152 MB  (context 640)"))
    }

    @Test("the table says how many threads run where battery or heat allow fewer, and why")
    func power() {
        func line(_ threads: Int, _ change: (inout PowerFigures) -> Void) -> String {
            var power = PowerFigures(policy: "automatic", threads: threads, stepTokens: 256)
            change(&power)
            let report = BenchmarkReport(
                setting: .init(
                    model: "m", name: "n", version: "1", build: .release, instructionSet: "avx2", threads: 4,
                    context: 64, power: power), plan: BenchmarkPlan(), results: BenchmarkResults(), coldStart: nil,
                peakMemory: 1)
            return report.text(style: TextStyle(isEnabled: false))
        }
        #expect(line(4) { _ in }.contains("avx2 · 4 threads · median"))
        #expect(
            line(1) { ($0.isOnBattery, $0.savesEnergy, $0.heat) = (true, true, "critical") }
                .contains("avx2 · 1 of 4 threads (on battery, saving energy, heat critical) · median"))
        #expect(line(2) { $0.policy = "quiet" }.contains("avx2 · 2 of 4 threads (quiet) · median"))
    }

    @Test("the table of engines has a line for each, and says why one failed")
    func comparison() {
        let runs = [("native", 90.0), ("llama.cpp", 40)].map { engine, speed in
            var run = EngineRun(engine: engine)
            run.peakMemory = 123_456_789
            run.prompts = [
                .init(
                    promptTokens: 32, replyTokens: 8, firstToken: Samples([0.25, 0.5, 0.75]), decode: Samples([speed]))
            ]
            return run
        }
        let comparison = EngineComparison(
            model: "model", repetitions: 3, runs: runs + [EngineRun(engine: "third", failure: "It fell over.")])
        let lines = comparison.text(style: TextStyle(isEnabled: false)).split(separator: "\n")
        #expect(lines.filter { $0.hasPrefix("native") && $0.contains("64.0") && $0.contains("90.0") }.count == 1)
        #expect(lines.filter { $0.hasPrefix("llama.cpp") && $0.contains("40.0") && $0.contains("123") }.count == 1)
        #expect(lines.last == "third       failed: It fell over.")
    }
}
