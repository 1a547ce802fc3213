// SPDX-License-Identifier: Apache-2.0

import ParleyCLI
import ParleyJSON
import Testing

@Suite("parley bench")
struct BenchCommandTests {
    private let small = ["bench", "tiny.gguf", "--prompt-tokens", "16", "--reply-tokens", "4", "--repetitions", "2"]

    @Test(
        "the failure of another process is its last error, whole and without the program's name",
        arguments: [
            ("parley: first\nparley: There is no x.\nKnown names: y.\n", "There is no x. Known names: y."),
            ("a note\nIllegal instruction\n", "Illegal instruction"), ("\n", nil),
        ] as [(String, String?)])
    func failures(errors: String, failure: String?) {
        #expect(EngineProcess.failure(in: errors) == failure)
    }

    @Test("--json prints one object with every figure")
    func json() async throws {
        let parley = try ParleyProcess()
        try parley.writeModel()
        let outcome = try await parley.run(
            small + [
                "--depth", "0,8", "--sequences", "2", "--threads", "1", "--isa", "generic", "--cache-type", "q8_0",
                "--power", "quiet", "--json",
            ])
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
        #expect(json["cache_type"] == "q8_0")
        #expect(json["power"]?["policy"] == "quiet")
        #expect(json["power"]?["threads"] == 1)
        #expect(json["power"]?["step_tokens"] == 128)
        #expect(json["repetitions"] == 2)
        #expect(json["decode"]?.array?.compactMap { $0["depth"]?.integer } == [0, 8])
        #expect(json["batch"]?.array?.compactMap { $0["sequences"]?.integer } == [2])
        #expect(json["prefill"]?["samples"]?.array?.count == 2)
    }

    @Test("without --json a table is printed, and --no-cold-start starts no process")
    func table() async throws {
        let parley = try ParleyProcess()
        try parley.writeModel()
        let outcome = try await parley.run(small + ["--no-cold-start"])
        #expect(outcome.status == 0)
        #expect(outcome.text.contains("prefill, 16 tokens"))
        #expect(outcome.text.contains("peak memory"))
        #expect(!outcome.text.contains("cold start"))
    }

    @Test("--replies measures the model in this process as a server is measured")
    func replies() async throws {
        let parley = try ParleyProcess()
        try parley.writeModel()
        let options = ["--replies", "--streams", "1,2", "--long-prompt", "0", "--threads", "1", "--json"]
        let outcome = try await parley.run(small + options)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let json = try JSONValue(parsing: outcome.text)
        #expect(json["server"] == "this machine" && json["repetitions"] == 2 && json["prompt_tokens"] == 16)
        #expect(json["tokens_per_second"]?.array?.compactMap { $0["streams"]?.integer } == [1, 2])
        #expect(json["tokens_per_second"]?.array?.allSatisfy { ($0["median"]?.number ?? 0) > 0 } == true)
        #expect(json["first_token_seconds"]?["median"]?.number ?? 0 > 0)
    }

    @Test(
        "impossible measurements are refused with status 2",
        arguments: [
            ["--prompt-tokens", "-1"], ["--depth", "-1"], ["--depth", "x"], ["--sequences", "0"],
            ["--repetitions", "0"], ["--isa", "mmx"], ["--threads", "0"], ["--cache-type", "q9"],
            ["--power", "loud"],
        ])
    func usage(options: [String]) async throws {
        let parley = try ParleyProcess()
        try parley.writeModel()
        let outcome = try await parley.run(small + options)
        #expect(outcome.status == 2)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains(options[0]))
    }

    @Test("--engines compares all engines of this build, each in a process of its own, and draws a chart")
    func engines() async throws {
        let parley = try ParleyProcess()
        try parley.writeModel()
        let options = ["--engines", "all", "--prompts", "8,20", "--reply-tokens", "4", "--repetitions", "1"]
        let outcome = try await parley.run(["bench", "tiny.gguf", "--json", "--svg", "chart.svg"] + options)
        #expect(outcome.status == 0)
        let runs = try #require(try JSONValue(parsing: outcome.text)["engines"]?.array)
        #expect(runs.first?["engine"] == "native")
        #expect(runs.allSatisfy { $0["success"] == true })
        for run in runs { #expect(run["prompts"]?.array?.map { $0["prompt_tokens"]?.integer } == [8, 20]) }
        #expect((runs.first?["load_seconds"]?.number ?? 0) > 0)
    }

    @Test("a chart that cannot be written is told before anything is measured")
    func unwritableChart() async throws {
        let parley = try ParleyProcess()
        try parley.writeModel()
        let options = ["--engines", "native", "--reply-tokens", "4", "--repetitions", "1", "--json"]
        let outcome = try await parley.run(["bench", "tiny.gguf", "--svg", "none/chart.svg"] + options)
        #expect(outcome.status == 1 && outcome.output.isEmpty)
        #expect(outcome.errors.contains("none/chart.svg: No such file or directory."), "\(outcome.errors)")
    }

    @Test("an engine of a comparison can have a model of its own, which is told")
    func ownModels() async throws {
        let parley = try ParleyProcess()
        try parley.writeModel()
        try parley.writeModel(to: "own.gguf")
        let options = ["--engines", "native=own.gguf", "--reply-tokens", "4", "--repetitions", "1"]
        let json = try await parley.run(["bench", "tiny.gguf", "--json"] + options)
        let run = try JSONValue(parsing: json.text)["engines"]?.array?.first
        #expect(run?["model"] == "own.gguf" && run?["success"] == true)
        let table = try await parley.run(["bench", "tiny.gguf"] + options)
        #expect(table.text.contains("models of their own: native: own.gguf"))
    }

    @Test(
        "an unknown engine, a prompt without tokens, and what needs --engines without it, are refused",
        arguments: [
            ["--engine", "abacus"], ["--engines", "native,abacus"], ["--engines", "all,abacus=m.gguf"],
            ["--svg", "chart.svg"], ["--prompts", "8"], ["--prompts", "8,0", "--engines", "all"],
        ])
    func refusesEngines(options: [String]) async throws {
        let outcome = try await ParleyProcess().run(["bench", "tiny.gguf"] + options)
        #expect(outcome.status == 2)
        let words = ["--svg": "--svg needs --engines", "--prompts": "--prompts"][options[0]] ?? "abacus"
        #expect(outcome.errors.contains(words))
    }

    @Test("engines are named in order, or all in that of the build; one twice, or with an empty model, is refused")
    func lists() throws {
        let builtIn = ["native", "onnx", "mlx"]
        func entries(_ text: String) -> [String]? {
            EngineList(argument: text)?.entries(among: builtIn).map { $0.engine + ($0.model.map { ":" + $0 } ?? "") }
        }
        #expect(entries("mlx,native") == ["mlx", "native"])
        #expect(entries("all") == builtIn)
        #expect(entries("mlx=a=b,all") == ["native", "onnx", "mlx:a=b"])
        for text in ["", ",", "onnx=", "=x", "onnx,onnx=x"] { #expect(entries(text) == nil, "\(text)") }
    }
}
