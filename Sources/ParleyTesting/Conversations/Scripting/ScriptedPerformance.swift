// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyDialect

/// One generation of a ``ScriptedRunner``.
struct ScriptedPerformance {
    private let request: GenerationRequest
    private let reply: ScriptedReply
    private let configuration: ScriptedRunner.Configuration
    private let writer: ResponseWriter
    /// The text of the prompt, if the probabilities of its words are told.
    private let scored: String?
    private let isOverdue: @Sendable () -> Bool
    private var router = ResponseRouter()
    private var stats = GenerationStats(promptTokens: 0, completionTokens: 0)

    init(
        request: GenerationRequest, reply: ScriptedReply, configuration: ScriptedRunner.Configuration,
        writer: ResponseWriter, scored: String? = nil
    ) {
        self.request = request
        self.reply = reply
        self.configuration = configuration
        self.writer = writer
        self.scored = scored
        isOverdue = Self.deadline(on: configuration.clock, after: request.options.timeout)
    }

    mutating func run() async throws -> GenerationOutcome {
        for step in reply.beforeAccepting { try await takePromptStep(step) }
        var report = try prepare()
        report.probabilities = scored.map { text in
            text.split(separator: " ", omittingEmptySubsequences: false).enumerated().map { place, word in
                Self.probability(of: (place == 0 ? "" : " ") + word, place, top: request.options.likelyTokens ?? 0)
            }
        }
        writer.acceptPrompt(report)
        do {
            for step in reply.prompt { try await takePromptStep(step) }
            if isOverdue() { return await finish(.timeout) }
            for step in reply.steps {
                if let reason = try await take(step) { return await finish(reason) }
            }
        } catch is CancellationError {
            return await finish(.cancelled)
        }
        return await finish(reply.finishReason)
    }

    /// Fits the prompt into the context, and sets up the router that splits the reply into its parts.
    private mutating func prepare() throws -> PromptReport {
        func prompt(_ messages: [ChatMessage]) -> PreparedPrompt {
            PreparedPrompt(
                messages: messages, functions: request.functions, options: request.options,
                support: configuration.functionCalls)
        }
        let reserve = min(request.options.maxTokens ?? 1, configuration.contextTokens)
        let fitted = try request.contextPolicy.fit(
            request.messages, budget: configuration.contextTokens - reserve
        ) { messages in configuration.promptTokens(prompt(messages)) }
        var prepared = prompt(fitted.messages)
        prepared.report.droppedTurns = fitted.droppedTurns
        stats.promptTokens = fitted.promptTokens
        router = ResponseRouter(
            ResponseRouter.Configuration(
                reasoning: configuration.reasoning, startsInsideReasoning: configuration.startsInsideReasoning,
                maxReasoningTokens: request.options.maxReasoningTokens, functionCalls: prepared.functionCallFormat,
                functionNames: Set(prepared.callableFunctions.map(\.name)), usedCallIDs: request.usedCallIDs,
                stop: request.options.stop))
        return prepared.report
    }

    /// Takes a step before the reply begins, when no text can be generated.
    private func takePromptStep(_ step: ScriptedReply.Step) async throws {
        switch step {
        case .wait(let gate): try await gate.wait()
        case .sleep(let duration): try await configuration.clock.sleep(for: duration)
        case .progress(let progress): writer.report(progress)
        case .fail(let error): throw error
        case .token, .part: break
        }
    }

    /// Takes a step of the reply; returns the reason if the reply ends with this step.
    private mutating func take(_ step: ScriptedReply.Step) async throws -> FinishReason? {
        try Task.checkCancellation()
        switch step {
        case .wait, .sleep, .progress, .fail:
            try await takePromptStep(step)
            return isOverdue() ? .timeout : nil
        case .part(let part):
            await writer.write(part)
            return nil
        case .token(let text):
            // Lets other tasks run between two tokens, as a real model does.
            await Task.yield()
            if request.options.maxTokens == 0 { return .length }
            return await say(text)
        }
    }

    private mutating func say(_ text: String) async -> FinishReason? {
        stats.completionTokens += 1
        if let top = request.options.likelyTokens, configuration.abilities.contains(.probabilities),
            !router.isReasoning,
            !router.isInsideFunctionCall
        {
            writer.report([Self.probability(of: text, stats.completionTokens, top: top)])
        }
        await writer.write(router.append(text))
        if let closing = router.reasoningClosing { await writer.write(router.append(closing)) }
        if router.hasStopped { return .stop }
        if stats.completionTokens == request.options.maxTokens { return .length }
        if stats.totalTokens >= configuration.contextTokens { return .contextFull }
        return isOverdue() ? .timeout : nil
    }

    private mutating func finish(_ reason: FinishReason) async -> GenerationOutcome {
        await writer.write(router.finish(reason))
        stats.reasoningTokens = router.reasoningTokens
        var outcome = GenerationOutcome(reason, stats: stats, rawOutput: router.rawOutput)
        outcome.stopString = router.stopString
        return outcome
    }

    /// A made-up probability: a half for the token that comes, and a quarter and so on for others.
    private static func probability(of text: String, _ number: Int, top: Int) -> TokenProbability {
        let chosen = TokenProbability.Candidate(
            token: Int32(clamping: number), bytes: Array(text.utf8), logprob: -0.6875)
        let others = (1..<max(top, 1)).map { place in
            TokenProbability.Candidate(
                token: Int32(clamping: 1_000 + place), bytes: Array("?\(place)".utf8),
                logprob: -0.6875 * Float(place + 1))
        }
        return TokenProbability(chosen, top: top > 0 ? [chosen] + others : [])
    }

    private static func deadline<C: Clock<Duration>>(
        on clock: C, after duration: Duration?
    ) -> @Sendable () -> Bool {
        guard let duration else { return { false } }
        let end = clock.now.advanced(by: duration)
        return { clock.now >= end }
    }
}
