// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyOpenAI

/// Continuations of texts.
struct TextPlan: RepliesPlan {
    private let request: TextCompletionRequest
    private let time: Duration
    private let conversation: [String]
    private let client: RequestGuard.Client

    /// Plans what a request of `/v1/completions` asks for.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - client: who sent it.
    ///   - conversation: a name that the client gives the conversation; nil if it gives none.
    ///   - time: how long a text may take.
    init(_ request: TextCompletionRequest, client: RequestGuard.Client, conversation: String?, time: Duration) {
        self.request = request
        self.time = time
        self.client = client
        self.conversation = ["text", "\(client.identity)", request.model, conversation ?? request.cacheKey ?? ""]
    }

    var cost: Int {
        let tokens = request.prompts.reduce(0) { sum, prompt in
            switch prompt {
            case .text(let text): sum + RequestCost.reading(bytes: text.utf8.count)
            case .tokens(let tokens): sum + RequestCost.reading(tokens)
            }
        }
        return tokens + RequestCost.writing(request.options, replies: count)
    }

    var count: Int { request.prompts.count * request.choices }

    var mayTruncate: Bool { false }

    func first(before choice: Int) -> Int { choice - choice % request.choices }

    func check(_ runner: any ModelRunner) throws {
        _ = try Self.completing(runner)
        try request.requireSupport(for: runner.abilities)
        guard request.suffix == nil || runner.abilities.contains(.fillingIn) else {
            throw ServerError(
                400, .modelNotCapable, "The model has no tokens to fill in the middle of a text; leave suffix out.",
                param: "suffix")
        }
    }

    func reply(
        _ choice: Int, with runner: any ModelRunner, events: @escaping @Sendable (ReplyEvent) -> Void
    ) async throws -> MessageCompletion {
        let number = choice / request.choices
        return try await complete(
            request.prompts[number], number, choice, try Self.completing(runner), events)
    }

    private static func completing(_ runner: any ModelRunner) throws(ServerError) -> any TextCompleting {
        guard let runner = runner as? any TextCompleting else {
            throw ServerError(400, .modelNotCapable, "The model only replies to messages.", param: "model")
        }
        return runner
    }

    private func complete(
        _ prompt: CompletionRequest.Prompt, _ number: Int, _ choice: Int, _ runner: any TextCompleting,
        _ events: @escaping @Sendable (ReplyEvent) -> Void
    ) async throws -> MessageCompletion {
        var options = request.options
        options.timeout = options.timeout ?? time
        if let seed = options.seed { options.seed = seed &+ UInt64(choice) }
        // Each text of a request keeps a sequence of its own.
        let id = ConversationID(of: conversation + ["\(number)"])
        let wanted = CompletionRequest(
            prompt, suffix: request.suffix, options: options,
            scoresPrompt: request.echo && options.likelyTokens != nil, conversationID: id,
            cacheScope: client.identity)
        let echoed = request.echo ? try await text(of: prompt, runner) : ""
        let writer = ResponseWriter(choice: choice, events: events) { report in
            guard !echoed.isEmpty else { return }
            events(.echo(echoed, report.probabilities, choice: choice))
        }
        let outcome: GenerationOutcome
        do {
            outcome = try await runner.complete(wanted, to: writer)
        } catch let error as ConversationError {
            var answer = ServerError(answering: error)
            if error.code == .promptExceedsContext || error.message.hasPrefix("The prompt") {
                answer.error.param = "prompt"
            }
            throw answer
        }
        var completion = writer.complete(outcome)
        if !echoed.isEmpty { completion.message.content.insert(.text(echoed), at: 0) }
        return completion
    }

    private func text(of prompt: CompletionRequest.Prompt, _ runner: any TextCompleting) async throws -> String {
        switch prompt {
        case .text(let text): return text
        case .tokens(let tokens):
            guard let inspecting = runner as? any TokenInspecting else {
                throw ServerError(400, .modelNotCapable, "The model does not tell its tokens.", param: "echo")
            }
            return try await inspecting.text(of: tokens)
        }
    }
}
