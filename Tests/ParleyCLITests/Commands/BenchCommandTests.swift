// SPDX-License-Identifier: Apache-2.0

import ParleyJSON
import Testing

@Suite("parley bench")
struct BenchCommandTests {
    private let small = ["bench", "tiny.gguf", "--prompt-tokens", "16", "--reply-tokens", "4", "--repetitions", "2"]

    @Test("--json prints one object with every figure")
    func json() async throws {
        let parley = try ParleyProcess()
        try parley.writeModel()
        let outcome = try await parley.run(
            small + ["--depth", "0,8", "--sequences", "2", "--threads", "1", "--isa", "generic", "--json"])
        #expect(outcome.status == 0)
        let json = try JSONValue(parsing: outcome.text)
        for key in [
            "prefill_tokens_per_second", "decode_tokens_per_second", "time_to_first_token_seconds",
            "peak_memory_bytes",
        ] {
            #expect((json[key]?.number ?? 0) > 0, "\(key)")
        }
        #expect(json["instruction_set"] == "generic")
        #expect(json["threads"] == 1)
        #expect(json["repetitions"] == 2)
        #expect(json["decode"]?.array?.compactMap { $0["depth"]?.integer } == [0, 8])
        #expect(json["batch"]?.array?.compactMap { $0["sequences"]?.integer } == [2])
        #expect(json["prefill"]?["samples"]?.array?.count == 2)
    }

    @Test("the table is for people, and --no-cold-start starts no process")
    func table() async throws {
        let parley = try ParleyProcess()
        try parley.writeModel()
        let outcome = try await parley.run(small + ["--no-cold-start"])
        #expect(outcome.status == 0)
        #expect(outcome.text.contains("prefill, 16 tokens"))
        #expect(outcome.text.contains("peak memory"))
        #expect(!outcome.text.contains("cold start"))
    }

    @Test(
        "what cannot be measured is refused with status 2",
        arguments: [
            ["--prompt-tokens", "-1"], ["--depth", "-1"], ["--depth", "x"], ["--sequences", "0"],
            ["--repetitions", "0"], ["--isa", "mmx"], ["--threads", "0"],
        ])
    func usage(options: [String]) async throws {
        let parley = try ParleyProcess()
        try parley.writeModel()
        let outcome = try await parley.run(small + options)
        #expect(outcome.status == 2)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains(options[0]))
    }
}
