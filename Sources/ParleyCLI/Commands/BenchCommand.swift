// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import ParleyBenchmark
import ParleyCommandLine
import ParleyConversation
import ParleyJSON
import ParleyLocal
import ParleyLocalEngines
import ParleyModels
import ParleyRuntime
import ParleyTensor

/// `parley bench`: measures the speed of a model on this machine.
struct BenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench", abstract: "Measures the speed of prefill and decode of a model on this machine.",
        discussion: """
            Prefill: a prompt through an empty sequence, nothing sampled. Decode: a greedy reply, token by token. Cold \
            start: from the start of a process to the first token of an answer to one line. Close other programs first.

            With --serve, any OpenAI-compatible server is measured as its clients see it: several replies at a time, the \
            first token of prompts alone, beside a long one, and of many that have much in common. With --replies, the \
            same is measured of the model in this process, without a server.

            The status is 0 for a measurement, 1 for a failure, and with --engines if none could run the model; 2 for \
            wrong usage, 130 for Ctrl-C.
            """)

    @Argument(help: .model, completion: .model)
    var model = ""

    @Option(
        help: ArgumentHelp("Measure the OpenAI-compatible server at this address instead.", valueName: "url"))
    var serve: String?

    @OptionGroup(title: "Server options")
    var server: ServerOptions

    @Flag(help: "Measure replies of the model as --serve measures those of a server.")
    var replies = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "With --serve or --replies: measure these numbers of replies at a time. (default: 1,4,16)",
            valueName: "n,…"))
    var streams: CountList?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "With --serve or --replies: the tokens of the long prompt; 0 skips it. (default: 4096)", valueName: "n"))
    var longPrompt: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "With --serve or --replies: the tokens that many prompts have in common; 0 skips it. (default: 1024)",
            valueName: "n"))
    var commonPrompt: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Number of prompt tokens; 0 skips prefill. (default: 512)", valueName: "n"))
    var promptTokens: Int?

    @Option(parsing: .unconditional, help: ArgumentHelp("Number of reply tokens; 0 skips decode.", valueName: "n"))
    var replyTokens = 128

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Decode after contexts of these lengths in tokens. (default: 0)", valueName: "n,…"))
    var depth: CountList?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Also decode these numbers of sequences at a time.", valueName: "n,…"))
    var sequences: CountList = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Also process a prompt of this many tokens during another reply.", valueName: "n"))
    var joining = 0

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("Also reply to the text of these files, with and without drafting.", valueName: "file"),
        completion: .file())
    var text: [String] = []

    @Option(
        parsing: .unconditional, help: ArgumentHelp("The number of repetitions of each measurement.", valueName: "n"))
    var repetitions = 5

    @Flag(inversion: .prefixedNo, help: "Measure the cold start.")
    var coldStart = true

    @Option(
        help: ArgumentHelp(
            "Compare engines by their replies to prompts instead; name=path is an engine with a model of its own.",
            valueName: "all|name[=path],…"), completion: .list(["all"] + EngineDescriptor.builtIn.map(\.name)))
    var engines: EngineList?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "With --engines: the lengths of the prompts in tokens. (default: 32,512,4096)", valueName: "n,…"))
    var prompts: CountList?

    @Option(
        help: ArgumentHelp("Write a chart of the compared engines to this SVG file.", valueName: "file"),
        completion: .file(extensions: ["svg"]))
    var svg: String?

    @Flag(help: "Print one JSON object.")
    var json = false

    @OptionGroup(title: "Loading options")
    var cache: CacheOptions

    @OptionGroup(title: "Loading options")
    var computing: ComputingOptions

    @OptionGroup(title: "Loading options")
    var fetching: FetchingOptions

    func validate() throws {
        try server.check(serve, of: "--serve")
        if serve == nil, model.isEmpty { throw ValidationError("Name a model, or a server with --serve.") }
        if serve != nil || replies {
            try validateServing()
        } else if streams != nil || longPrompt != nil || commonPrompt != nil {
            throw ValidationError("--streams, --long-prompt and --common-prompt need --serve or --replies.")
        }
        for entry in engines?.named ?? [] { try EnginePreference.named(entry.engine).validate() }
        if svg != nil, engines == nil { throw ValidationError("--svg needs --engines.") }
        let isOwn = promptTokens != nil || depth != nil || !sequences.values.isEmpty || joining != 0 || !text.isEmpty
        if engines != nil, isOwn {
            throw ValidationError(
                "--engines takes --prompts: leave out --prompt-tokens, --depth, --sequences, --joining, --text.")
        }
        if engines == nil, prompts != nil { throw ValidationError("--prompts needs --engines.") }
        for value in prompts?.values ?? [] { try OptionRange.tokens.check(value, of: "--prompts") }
        try OptionRange.optionalTokens.check(promptTokens, of: "--prompt-tokens")
        try OptionRange.optionalTokens.check(replyTokens, of: "--reply-tokens")
        try OptionRange.optionalTokens.check(joining, of: "--joining")
        for value in depth?.values ?? [] { try OptionRange.optionalTokens.check(value, of: "--depth") }
        for value in sequences.values { try OptionRange(1...1_024).check(value, of: "--sequences") }
        try OptionRange(1...10_000).check(repetitions, of: "--repetitions")
        if promptTokens == 0, replyTokens == 0, !coldStart {
            throw ValidationError("There is nothing to measure without a prompt, a reply and a cold start.")
        }
    }

    func run() async throws {
        let console = Console()
        if BuildKind.current == .debug {
            console.error("This is a debug build, whose speed is not meaningful. Build with 'swift build -c release'.")
        }
        if let serve { return try await measure(server: serve, console: console) }
        let found = try await fetching.file(of: model, console: console)
        if replies { return try await measureReplies(of: found, console: console) }
        if let engines { return try await compare(engines, on: found, console: console) }
        let (plan, repetitions) = (plan, repetitions)
        let texts = try text.map { (URL(filePath: $0).lastPathComponent, try InputFile.text($0)) }
        let measuresColdStart = coldStart
        let cold = ColdStart(model: found.url.path, computing: computing, cache: cache)
        var loading = LocalConfiguration(
            contextSize: texts.isEmpty ? plan.context : nil, threads: computing.threads,
            timelines: max(plan.sequences.max() ?? 1, joining > 0 ? 2 : 1))
        loading.cacheType = cache.cacheType
        loading.power = computing.power
        let (name, computing, configuration) = (model, computing, loading)
        let progress: @Sendable (String) -> Void = { if Terminal.Stream.error.isTerminal { console.note("\($0)…") } }
        let report = try await Interrupts.shared.cancelling {
            if measuresColdStart { progress("cold start") }
            // Measured before this process loads the model itself.
            let coldStart = measuresColdStart ? try await cold.measure(repetitions: repetitions) : nil
            let loaded = try await computing.load(found, configuration, console: console)
            var plan = plan
            plan.drafting = try texts.map { name, text in
                let model = loaded.model
                let renderer = try PromptRenderer(model.info.chatTemplate, tokenizer: model.tokenizer)
                return (name, try renderer.render([.user(text)], functions: [], options: .init()).input.tokens)
            }
            let results = try await plan.run(on: EngineBenchmark(model: loaded.model), progress: progress)
            let isNative = loaded.engine == "native"
            return BenchmarkReport(
                setting: .init(
                    model: name, name: loaded.model.info.name, version: ParleyCommand.configuration.version,
                    build: .current, instructionSet: isNative ? computing.instructionSet.rawValue : loaded.engine,
                    threads: computing.usedThreads, context: loaded.contextSize,
                    cacheType: isNative ? configuration.cacheType.rawValue : nil,
                    power: (loaded.model as? any SteppedModel)?.power.map(PowerFigures.init)),
                plan: plan, results: results, coldStart: coldStart, peakMemory: peakMemory())
        }
        if json {
            console.line(report.json.text())
        } else {
            console.paragraph(report.text(style: console.outputStyle))
        }
    }

    private var plan: BenchmarkPlan {
        var plan = BenchmarkPlan()
        plan.promptTokens = promptTokens ?? plan.promptTokens
        plan.replyTokens = replyTokens
        plan.depths = depth?.values ?? plan.depths
        plan.sequences = sequences.values
        plan.joining = joining
        plan.repetitions = repetitions
        return plan
    }
}
