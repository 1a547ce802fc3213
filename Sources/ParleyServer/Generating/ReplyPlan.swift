// SPDX-License-Identifier: Apache-2.0

import ParleyConversation

/// What is to be generated for a request.
struct ReplyPlan: Sendable {
    /// The request to the runner; its seed, if it has one, is that of the first reply.
    var request: GenerationRequest
    /// The number of replies.
    var choices = 1
    /// Whether a reply may contain more than one call.
    var allowsSeveralCalls = true

    /// About how many tokens all replies take, for the turns in the queue.
    var cost: Int {
        // Four bytes a token are usual; a count would need the model.
        let bytes = request.messages.reduce(0) { $0 + $1.text.utf8.count }
        return bytes / 4 + choices * min(request.options.maxTokens ?? 1_024, 1 << 20)
    }

    /// Generates the replies one after the other, so that the prompt is read once.
    ///
    /// - Throws: any error of the runner; `CancellationError`.
    func generate(with runner: any ModelRunner, events: @escaping @Sendable (ReplyEvent) -> Void) async throws {
        for choice in 0..<choices {
            var request = request
            if let seed = request.options.seed { request.options.seed = seed &+ UInt64(choice) }
            let completion = try await reply(request, choice, runner, events)
            try Task.checkCancellation()
            events(.complete(completion, choice: choice))
        }
    }

    private func reply(
        _ request: GenerationRequest, _ choice: Int, _ runner: any ModelRunner,
        _ events: @escaping @Sendable (ReplyEvent) -> Void
    ) async throws -> MessageCompletion {
        guard !allowsSeveralCalls else {
            let writer = ResponseWriter(
                onAccept: { events(.accepted(choice: choice)) }, onResponse: { events(.response($0, choice: choice)) })
            return writer.complete(try await runner.generate(request, to: writer))
        }
        let first = FirstCall()
        let writer = ResponseWriter(
            onAccept: { events(.accepted(choice: choice)) },
            onResponse: { response in
                if let response = first.take(response) { events(.response(response, choice: choice)) }
            })
        let generation = Task { try await runner.generate(request, to: writer) }
        first.onCall { generation.cancel() }
        let outcome = try await withTaskCancellationHandler {
            try await generation.value
        } onCancel: {
            generation.cancel()
        }
        return first.cut(writer.complete(outcome))
    }
}
