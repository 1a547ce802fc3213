// SPDX-License-Identifier: Apache-2.0

import ParleyConversation

/// Replies to a conversation.
struct ReplyPlan: RepliesPlan {
    /// The request to the runner; its seed, if it has one, is that of the first reply.
    var request: GenerationRequest
    /// The number of replies.
    var choices = 1
    /// What the runner must be able to do.
    var requirement: @Sendable (RunnerAbilities) throws -> Void = { _ in }
    /// Whether to tell the length of the prompt before it is read, which takes a moment.
    var tellsPromptLength = false
    /// Whether the number of new tokens is only the most that are wanted: where the prompt does not leave room for so many,
    /// the context ends the reply.
    var mayFillContext = false
    /// Whether the request can ask for whole turns of a prompt that does not fit to be left out, and does not.
    var mayTruncate = false
    /// Whether a reply may contain more than one call.
    var allowsSeveralCalls = true

    var cost: Int { RequestCost.reading(request.messages) + RequestCost.writing(request.options, replies: choices) }

    var count: Int { choices }

    func first(before choice: Int) -> Int { 0 }

    func check(_ runner: any ModelRunner) throws {
        try requirement(runner.abilities)
        guard hasImages, !runner.abilities.contains(.images) else { return }
        throw ServerError(
            400, .modelNotCapable,
            "The model sees no images. Leave them out, or ask for one that does; /v1/models tells what each can do.",
            param: "messages")
    }

    private var hasImages: Bool {
        request.messages.contains { message in
            message.content.contains { if case .image = $0 { true } else { false } }
        }
    }

    func reply(
        _ choice: Int, with runner: any ModelRunner, events: @escaping @Sendable (ReplyEvent) -> Void
    ) async throws -> MessageCompletion {
        var wanted = request
        if let seed = wanted.options.seed { wanted.options.seed = seed &+ UInt64(choice) }
        if tellsPromptLength {
            let count = try await runner.promptTokenCount(
                messages: wanted.messages, functions: wanted.functions, options: wanted.options)
            events(.prompt(tokens: count, choice: choice))
        }
        do {
            return try await generate(wanted, choice, runner, events)
        } catch let error as ConversationError where error.code == .promptExceedsContext {
            guard mayFillContext, wanted.options.maxTokens != nil else { throw error }
            // Prompt and reply together would be longer than the context, which thus ends the reply first.
            wanted.options.maxTokens = nil
            return try await generate(wanted, choice, runner, events)
        }
    }

    private func generate(
        _ wanted: GenerationRequest, _ choice: Int, _ runner: any ModelRunner,
        _ events: @escaping @Sendable (ReplyEvent) -> Void
    ) async throws -> MessageCompletion {
        guard !allowsSeveralCalls else {
            let writer = ResponseWriter(choice: choice, events: events)
            return writer.complete(try await runner.generate(wanted, to: writer))
        }
        let first = FirstCall()
        let writer = ResponseWriter(choice: choice, events: events, filter: first.take)
        let generation = Task { try await runner.generate(wanted, to: writer) }
        first.onCall { generation.cancel() }
        let outcome = try await withTaskCancellationHandler {
            try await generation.value
        } onCancel: {
            generation.cancel()
        }
        return first.cut(writer.complete(outcome))
    }
}
