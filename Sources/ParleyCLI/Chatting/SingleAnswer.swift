// SPDX-License-Identifier: Apache-2.0

import ParleyJSON
import ParleyRuntime

/// One prompt and its answer on standard output.
struct SingleAnswer {
    let model: String
    let options: GenerationOptions
    let console: Console

    /// Prints the answer as it comes, and on a terminal what it cost.
    func print(to prompt: String) async throws {
        let isTerminal = Terminal.Stream.output.isTerminal
        let console = console
        let reply = try await reply(to: prompt) { piece in
            // A file gets what the model wrote; a terminal would obey what it must not.
            console.write(isTerminal ? PlainText.clean(piece) : piece)
        }
        console.line()
        if isTerminal {
            if let remark = ReplyReport.remark(reply.finish) { console.note(remark) }
            console.note(ReplyReport.line(reply.statistics))
        }
        if reply.finish == .cancelled { throw CancellationError() }
    }

    /// Prints one JSON object.
    func printJSON(to prompt: String) async throws {
        let reply = try await reply(to: prompt) { _ in }
        let json = ReplyReport.json(
            model: model, text: reply.text, finish: reply.finish, statistics: reply.statistics)
        console.line(json.text())
        if reply.finish == .cancelled { throw CancellationError() }
    }

    private func reply(
        to prompt: String, write: @escaping @Sendable (String) -> Void
    ) async throws -> ChatSession.Reply {
        let loaded = try await ModelLibrary(console: console).load(model, options.loading)
        let session = try loaded.session(try loaded.renderer(console: console), options)
        return try await Interrupts.shared.cancelling {
            try await session.reply(to: prompt, write: write)
        }
    }
}
