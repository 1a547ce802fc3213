// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyDialect
import ParleyRuntime
import ParleyTokenizer

/// Builds the prompt of a request whose policy is to summarise: if it does not fit, the model first writes a summary
/// that replaces the oldest turns.
///
/// More turns than necessary are summarised, until half of the room is free, so that the next turns need no new
/// summary. A later summary is made from the previous one and the turns after it.
struct SummarisedPrompt: Sendable {
    let request: GenerationRequest
    let parts: LoadedParts
    let context: Int
    let deadline: ContinuousClock.Instant?

    /// Builds the prompt: complete if it fits, otherwise with a summary, or with turns dropped if the summary fails.
    ///
    /// - Throws: the errors of ``PromptRenderer/fit(_:context:deadline:)``.
    func make() async throws -> RenderedPrompt {
        let (head, turns) = ContextPolicy.split(request.messages)
        let budget = ContextPolicy.budget(for: request.options, context: context)
        let whole = try render(request.messages)
        if whole.input.count <= budget { return whole }
        let known = parts.summaries.summary(of: request.conversationID, for: turns)
        func prompt(with summary: HistorySummary?) throws -> RenderedPrompt? {
            guard let summary else { return nil }
            var prompt = try render(head + [summary.message] + turns.dropFirst(summary.turns).joined())
            prompt.prepared.report.summarisedTurns = summary.turns
            return prompt.input.count <= budget ? prompt : nil
        }
        if let prompt = try prompt(with: known) { return prompt }
        let room = max(min(512, budget / 4), 1)
        if let count = try turnsToSummarise(budget, room),
            let summary = try await summary(of: Array(turns[..<count]), after: known, room: room),
            let prompt = try prompt(with: summary)
        {
            parts.summaries.keep(summary, of: request.conversationID)
            return prompt
        }
        return try parts.renderer.fit(request, context: context, deadline: deadline)
    }

    private func render(_ messages: [ChatMessage]) throws -> RenderedPrompt {
        try parts.renderer.render(
            messages, functions: request.functions, options: request.options, deadline: deadline)
    }

    /// The number of turns to summarise: enough that half of the budget is free or, failing that, room for the summary.
    private func turnsToSummarise(_ budget: Int, _ room: Int) throws -> Int? {
        for budget in [budget / 2, budget - 2 * room] {
            do {
                return try ContextPolicy.dropOldestTurns.fit(request.messages, budget: budget) {
                    try render($0).input.count
                }.droppedTurns
            } catch let error as ConversationError where error.code == .promptExceedsContext {}
        }
        return nil
    }

    // MARK: Writing a summary

    /// Has the model write a summary, in as many steps as its context requires; nil if that fails.
    private func summary(
        of turns: [[ChatMessage]], after known: HistorySummary?, room: Int
    ) async throws -> HistorySummary? {
        let known = known.flatMap { $0.turns <= turns.count ? $0 : nil }
        var text = known?.text ?? ""
        var rest = turns.dropFirst(known?.turns ?? 0).joined().compactMap(Self.line)[...]
        while let first = rest.first {
            let space = try context - room - tokens(of: instruction(text, [], room)).count - 64
            guard space > 0 else { return nil }
            // A message that is too long for any prompt is truncated.
            let start = try tokens(of: first)
            var lines = [parts.model.tokenizer.decode(start.prefix(space))]
            var size = start.count
            rest = rest.dropFirst()
            while let next = rest.first, size < space {
                size += try tokens(of: next).count + 1
                guard size <= space else { break }
                lines.append(next)
                rest = rest.dropFirst()
            }
            guard let written = try await write(instruction(text, lines, room), room: room) else { return nil }
            text = written
        }
        guard !text.isEmpty else { return nil }
        return HistorySummary(messages: Array(turns.joined()), turns: turns.count, text: text)
    }

    private func tokens(of text: String) throws -> [TokenID] {
        try parts.renderer.tokens(of: [TextSegment(text, origin: .input)], deadline)
    }

    private func instruction(_ summary: String, _ lines: [String], _ room: Int) -> String {
        """
        Summarise the conversation below, so that you can go on with it without having it before you: what was asked \
        and answered, and names, numbers, facts and decisions that may matter later. Write at most \(room / 2) words, \
        and nothing but the summary.\(summary.isEmpty ? "" : "\n\nA summary of what came before:\n\(summary)")

        The conversation:
        \(lines.joined(separator: "\n"))
        """
    }

    private static func line(_ message: ChatMessage) -> String? {
        let calls = (message.functionCalls ?? []).map { "[calls \($0.name)]" }
        let text = ([message.text] + calls).filter { !$0.isEmpty }.joined(separator: " ")
        guard !text.isEmpty else { return nil }
        return switch message.role {
        case .system, .developer: "Rule: \(text)"
        case .user: "User: \(text)"
        case .assistant: "You: \(text)"
        case .tool: "Result: \(text)"
        }
    }

    /// The model's answer to an instruction, without reasoning; nil if the generation fails or the answer is empty.
    private func write(_ instruction: String, room: Int) async throws -> String? {
        let renderer = parts.renderer
        let prompt = try renderer.render(
            [.user(instruction)], functions: [], options: GenerationOptions(reasoning: .off), deadline: deadline)
        guard prompt.input.count + room <= context else { return nil }
        do {
            return try await parts.timelines.withTimeline(
                for: request.conversationID, scope: request.cacheScope, prompt: prompt.input, reply: room,
                deadline: deadline
            ) { lease in
                try await withTaskExecutorPreference(parts.model.executor) {
                    try await text(prompt, on: lease, room: room)
                }
            }
        } catch is RuntimeError {
            return nil
        }
    }

    private func text(
        _ prompt: RenderedPrompt, on lease: TimelineLease, room: Int
    ) async throws -> String? {
        let renderer = parts.renderer
        var text = ReplyText(
            parts.model.tokenizer,
            .init(
                reasoning: renderer.reasoningTags, startsInsideReasoning: prompt.startsInsideReasoning,
                stop: renderer.stopStrings))
        // Greedy sampling makes the summary of a history reproducible.
        var generation = try Generation(
            of: prompt.input, on: lease.timeline, model: parts.model,
            sampling: SamplingOptions(temperature: 0, seed: 0),
            stop: StopRules(maxTokens: room, timeout: deadline.map { max($0 - .now, .zero) }), client: request.client,
            reached: { lease.reached($0) })
        while let token = try await generation.next() {
            text.append(token)
            if text.hasStopped { generation.stop() }
        }
        switch generation.finishReason {
        case .cancelled: throw CancellationError()
        case .timeout: throw PromptDeadlinePassed()
        default: break
        }
        let summary = text.finish(.stop).parts.reduce(into: "") { summary, part in
            if case .text(let piece) = part { summary += piece }
        }
        return summary.unicodeScalars.allSatisfy(\.properties.isWhitespace) ? nil : summary
    }
}
