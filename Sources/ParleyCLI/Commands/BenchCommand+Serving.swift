// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import ParleyBenchmark
import ParleyCommandLine
import ParleyHTTP
import ParleyJSON
import ParleyLocal
import ParleyModels
import ParleyRemote
import ParleyRuntime
import ParleySystem

extension BenchCommand {
    /// The most conversations whose caches a server keeps.
    private static let mostKept = 64
    /// The tokens of a reply's context beside its prompt, with what a template adds.
    private static let besideLongPrompt = 1_024

    /// Checks the options of the measurements of a server, or of a model as if it were one.
    ///
    /// - Throws: `ValidationError`.
    func validateServing() throws {
        if serve != nil, replies { throw ValidationError("Give either --serve or --replies.") }
        if serve != nil, !model.isEmpty {
            throw ValidationError("With --serve, name the model of the server with --model.")
        }
        let loads = computing.isChosen || computing.threads != nil || cache.cacheType != .f16 || fetching.offline
        if serve != nil, loads {
            throw ValidationError(
                "With --serve nothing is loaded here: leave out --engine, --threads, --isa, --power, --cache-type and "
                    + "--offline.")
        }
        if engines != nil || !text.isEmpty || joining != 0 || depth != nil || !sequences.values.isEmpty {
            throw ValidationError(
                "\(replies ? "--replies" : "--serve") measures otherwise: leave out --engines, --text, --joining, "
                    + "--depth and --sequences.")
        }
        for value in streams?.values ?? [] { try OptionRange(1...1_024).check(value, of: "--streams") }
        try OptionRange.optionalTokens.check(longPrompt, of: "--long-prompt")
        try OptionRange.optionalTokens.check(commonPrompt, of: "--common-prompt")
        if replyTokens == 0 { throw ValidationError("There must be replies: --reply-tokens must be 1 or more.") }
    }

    /// Measures a server.
    func measure(server address: String, console: Console) async throws {
        let endpoint = try server.endpoint(at: address)
        let (runner, model) = try await server.runner(at: endpoint, console: console)
        let plan = servingPlan.fitting(context: model?.contextSize)
        if plan != servingPlan { console.note("What does not fit into the model's context is left out.") }
        let results = try await Interrupts.shared.cancelling {
            // Unlike those of a chat, these requests may be sent twice. A server of this machine needs its processors.
            let isNear = endpoint.url.scheme?.lowercased() == "http" && endpoint.url.isLoopback
            return try await ServingBenchmark(plan: plan) {
                RemoteModelRunner(
                    model: runner.modelID, at: endpoint, client: isNear ? LoopbackClient() : URLSessionClient())
            }.run(progress: progress(console))
        }
        report(results, of: plan, model: runner.modelID, at: endpoint.host, console: console)
    }

    /// Measures a model in this process in the same way.
    func measureReplies(of found: StoredModel, console: Console) async throws {
        let plan = servingPlan
        let mostAtOnce = max(plan.streams.max() ?? 1, plan.companions + 2)
        var configuration = LocalConfiguration(
            contextSize: plan.longPrompt + plan.longPrompt / 8 + Self.besideLongPrompt, threads: computing.threads,
            timelines: min(mostAtOnce, Self.mostKept), loadsOwnProjector: false)
        configuration.logger = fetching.logger
        configuration.cacheType = cache.cacheType
        configuration.power = computing.power
        let (computing, options) = (computing, configuration)
        let runner = try await LoadingDisplay(model: found.name, console: console).during { report in
            try await LocalModelRunner.load(
                found.url.path, engines: computing.engines, preference: computing.engine, isOffline: true,
                configuration: options, progress: report)
        }
        let fitting = plan.fitting(context: runner.contextSize)
        let results = try await Interrupts.shared.cancelling {
            try await ServingBenchmark(runner, plan: fitting).run(progress: progress(console))
        }
        report(results, of: fitting, model: found.name, at: "this machine", console: console)
    }

    private func progress(_ console: Console) -> @Sendable (String) -> Void {
        { if Terminal.Stream.error.isTerminal { console.note("\($0)…") } }
    }

    private func report(
        _ results: ServingResults, of plan: ServingPlan, model: String, at place: String, console: Console
    ) {
        if json {
            let setting: JSONObject = [
                "server": .string(place), "model": .string(model),
                "version": .string(ParleyCommand.configuration.version),
                "repetitions": .integer(plan.repetitions), "reply_tokens": .integer(plan.replyTokens),
                "prompt_tokens": .integer(plan.prompt), "long_prompt_tokens": .integer(plan.longPrompt),
                "common_tokens": .integer(plan.common),
            ]
            console.line(JSONValue.object(setting.merging(results.json) { own, _ in own }).text())
        } else {
            let style = console.outputStyle
            console.line(style.bold(PlainText.clean(model)) + style.dim(" on \(place)"))
            console.paragraph(results.text(of: plan, style: style))
        }
    }

    private var servingPlan: ServingPlan {
        var plan = ServingPlan()
        plan.streams = streams?.values ?? plan.streams
        plan.replyTokens = replyTokens
        plan.prompt = promptTokens ?? plan.prompt
        plan.longPrompt = longPrompt ?? plan.longPrompt
        plan.common = commonPrompt ?? plan.common
        plan.repetitions = repetitions
        return plan
    }
}
