// SPDX-License-Identifier: Apache-2.0

import ParleyBenchmark
import ParleyJSON
import Testing

@Suite("BenchmarkReport")
struct BenchmarkReportTests {
    private func report(_ results: BenchmarkResults, coldStart: Samples? = nil) -> BenchmarkReport {
        var plan = BenchmarkPlan()
        plan.repetitions = 3
        return BenchmarkReport(
            setting: .init(
                model: "tiny.gguf", name: "Ti\u{1b}ny", version: "1.2.3", build: .release, instructionSet: "avx2",
                threads: 2, context: 640), plan: plan, results: results, coldStart: coldStart, peakMemory: 151_600_000)
    }

    private var full: BenchmarkReport {
        var results = BenchmarkResults()
        results.prefill = Samples([3_000, 3_700.25, 3_800])
        results.decode = [(0, Samples([370, 375, 380])), (4_096, Samples([100, 110, 120]))]
        results.batch = [(8, Samples([900, 950, 990]))]
        return report(results, coldStart: Samples([0.08, 0.0812, 0.09]))
    }

    @Test("the JSON object has the four main figures and all others")
    func json() {
        let json = full.json
        #expect(json["prefill_tokens_per_second"] == 3_700.25)
        #expect(json["decode_tokens_per_second"] == 375.0)
        #expect(json["time_to_first_token_seconds"] == 0.0812)
        #expect(json["peak_memory_bytes"] == 151_600_000)
        #expect(json["decode"]?[1]?["depth"] == 4_096)
        #expect(json["decode"]?[1]?["median"] == 110.0)
        #expect(json["batch"]?[0]?["sequences"] == 8)
        #expect(json["batch"]?[0]?["most"] == 990.0)
        #expect(json["instruction_set"] == "avx2")
        #expect(json["threads"] == 2)
        #expect(json["build"] == "release")
    }

    @Test("what was not measured is null")
    func partial() {
        let json = report(BenchmarkResults()).json
        for key in ["prefill_tokens_per_second", "decode_tokens_per_second", "time_to_first_token_seconds"] {
            #expect(json[key] == .null)
        }
        #expect(json["decode"] == [])
    }
}
