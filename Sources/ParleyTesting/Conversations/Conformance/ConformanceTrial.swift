// SPDX-License-Identifier: Apache-2.0

import ParleyConversation

/// A check that is being run, with the runner under test and functions that the checks share.
struct ConformanceTrial: Sendable {
    let name: String
    let subject: ModelRunnerConformance.Subject
    let runner: any ModelRunner

    /// Everything that one request has delivered.
    struct Replies: Sendable {
        var responses: [MessageResponse] = []
        var error: ConversationError?

        var completions: [MessageCompletion] {
            responses.compactMap { if case .complete(let completion) = $0 { completion } else { nil } }
        }

        var text: String {
            responses.reduce(into: "") { if case .chunk(let text) = $1 { $0 += text } }
        }

        var reasoning: String {
            responses.reduce(into: "") { if case .reasoningChunk(let text) = $1 { $0 += text } }
        }
    }

    func require(_ condition: Bool, _ message: @autoclosure () -> String) throws {
        guard condition else { throw ConformanceFailure(check: name, message: message()) }
    }

    func conversation(_ history: [ChatMessage] = []) -> Conversation {
        runner.createConversationFromHistory(history)
    }

    /// Sends a message and waits for the whole reply.
    func replies(
        _ conversation: Conversation, to message: ChatMessage? = nil, options: GenerationOptions? = nil
    ) async throws -> Replies {
        try await Self.collect(
            conversation.reply(
                to: message ?? .user(subject.prompt), generationOptions: options ?? subject.options))
    }

    static func collect(_ reply: Reply) async throws -> Replies {
        var replies = Replies()
        do {
            for try await response in reply { replies.responses.append(response) }
        } catch let error as ConversationError {
            replies.error = error
        }
        return replies
    }

    /// Sends a message, and calls `onFirst` for the first piece of the reply while the rest is being generated.
    ///
    /// - Returns: the whole reply.
    func replies(
        _ conversation: Conversation, onFirst: @escaping @Sendable () -> Void
    ) async throws -> Replies {
        let recorder = ResponseRecorder()
        let handler = conversation.generateResponse(
            message: .user(subject.prompt), generationOptions: subject.options,
            onResponse: { if recorder.record($0) { onFirst() } },
            onError: { recorder.record($0) })
        try require(handler != nil, "An idle conversation turned a request away.")
        await recorder.end()
        return recorder.replies
    }

    /// Checks the rules for every reply that ended without an error.
    func requireWellFormed(_ replies: Replies, in conversation: Conversation) throws {
        try require(replies.error == nil, "It failed: \(replies.error?.message ?? "")")
        try require(replies.completions.count == 1, "There were \(replies.completions.count) completions, not one.")
        guard case .complete(let completion)? = replies.responses.last else {
            throw ConformanceFailure(check: name, message: "The completion was not the last event.")
        }
        let message = completion.message
        try require(replies.text == message.text, "The chunks joined are not the text of the message.")
        try require(
            replies.reasoning == message.reasoningContent ?? "", "The chunks of reasoning joined are not the message's."
        )
        try require(!conversation.isGenerating, "The conversation is still generating.")
    }
}
