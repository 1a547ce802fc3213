// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ParleyBenchmark
import ParleyHTTP
import ParleyJSON
import ParleyRemote
import ParleySystem

extension BenchCommand {
    /// Checks the options of the measurements of a server.
    ///
    /// - Throws: `ValidationError`.
    func validateServing() throws {
        if !model.isEmpty { throw ValidationError("With --serve, name the model of the server with --model.") }
        if engines != nil || !text.isEmpty || joining != 0 || depth != [0] || !sequences.values.isEmpty {
            throw ValidationError(
                "--serve measures otherwise: leave out --engines, --text, --joining, --depth and --sequences.")
        }
        for value in streams.values { try OptionRange(1...1_024).check(value, of: "--streams") }
        try OptionRange.optionalTokens.check(longPrompt, of: "--long-prompt")
        if replyTokens == 0 { throw ValidationError("--serve needs replies: --reply-tokens must be 1 or more.") }
    }

    /// Measures a server.
    func measure(server address: String, console: Console) async throws {
        let endpoint = try server.endpoint(at: address)
        let (runner, model) = try await server.runner(at: endpoint, console: console)
        let plan = servingPlan.fitting(context: model?.contextSize)
        if plan != servingPlan { console.note("What does not fit into the model's context is left out.") }
        let progress: @Sendable (String) -> Void = { if Terminal.Stream.error.isTerminal { console.note("\($0)…") } }
        let results = try await Interrupts.shared.cancelling {
            // Unlike those of a chat, these requests may be sent twice.
            try await ServingBenchmark(plan: plan) {
                RemoteModelRunner(model: runner.modelID, at: endpoint, client: URLSessionClient())
            }.run(progress: progress)
        }
        if json {
            let setting: JSONObject = [
                "server": .string(endpoint.host), "model": .string(runner.modelID),
                "version": .string(ParleyCommand.configuration.version),
                "repetitions": .integer(plan.repetitions), "reply_tokens": .integer(plan.replyTokens),
                "prompt_tokens": .integer(plan.prompt), "long_prompt_tokens": .integer(plan.longPrompt),
                "common_tokens": .integer(plan.common),
            ]
            console.line(JSONValue.object(setting.merging(results.json) { own, _ in own }).text())
        } else {
            let style = console.outputStyle
            console.line(style.bold(PlainText.clean(runner.modelID)) + style.dim(" on \(endpoint.host)"))
            console.write(results.text(of: plan, style: style))
        }
    }

    private var servingPlan: ServingPlan {
        var plan = ServingPlan()
        plan.streams = streams.values
        plan.replyTokens = replyTokens
        plan.prompt = promptTokens
        plan.longPrompt = longPrompt
        plan.repetitions = repetitions
        return plan
    }
}
