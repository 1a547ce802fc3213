// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyJSON

/// One prompt and its answer on standard output.
struct SingleAnswer {
    let model: String
    /// The server that replies in the place of a model on this machine, if one is named.
    var remote: RemoteOptions?
    let options: GenerationOptions
    let limits: AnswerOptions
    let console: Console

    /// Prints the answer as it is generated, and on a terminal its token counts and times. That a full context cut it off
    /// is always said: unlike --max-tokens, nobody asked for that.
    func print(to prompt: String) async throws {
        let writer = ReplyWriter(console: console)
        let reply = try await reply(to: prompt) { writer.write($0) }
        writer.finish()
        let isTerminal = Terminal.Stream.output.isTerminal
        if isTerminal || reply.finishReason == .contextFull, let remark = ReplyReport.remark(reply.finishReason) {
            console.note(remark)
        }
        if isTerminal, let stats = reply.stats { console.note(ReplyReport.line(stats)) }
        try checkEnd(of: reply)
    }

    /// Prints one JSON object.
    func printJSON(to prompt: String) async throws {
        let reply = try await reply(to: prompt) { _ in }
        console.line(ReplyReport.json(model: model, reply: reply).text())
        try checkEnd(of: reply)
    }

    /// Throws if the answer was stopped, or if it had to be JSON and is incomplete.
    ///
    /// - Throws: `CancellationError` or ``IncompleteReply``.
    private func checkEnd(of reply: MessageCompletion) throws {
        if reply.finishReason == .cancelled { throw CancellationError() }
        if limits.schema != nil, let error = IncompleteReply(reply) { throw error }
    }

    private func reply(
        to prompt: String, show: @escaping @Sendable (MessageResponse) -> Void
    ) async throws -> MessageCompletion {
        let wanted = try options.conversationOptions(limits)
        let images = try options.images()
        let runner: any ModelRunner
        if let remote, let endpoint = try remote.endpoint() {
            runner = try await remote.server.runner(at: endpoint, console: console).0
        } else {
            runner = try await options.loading.runner(of: model, showing: images, console: console)
        }
        let chat = Chat(runner, system: options.system, images: images, options: wanted)
        return try await Interrupts.shared.cancelling {
            try await chat.reply(to: prompt, show: show)
        }
    }
}
