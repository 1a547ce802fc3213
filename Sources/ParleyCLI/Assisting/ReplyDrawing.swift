// SPDX-License-Identifier: Apache-2.0

import ParleyAssistant
import ParleyConversation

/// Writes a growing reply: each time what is new in it.
@MainActor
final class ReplyDrawing {
    private let console: Console
    private var writer: ReplyWriter
    private var text = ""
    private var thinking = ""
    private var hasLine = false

    /// Begins a drawing.
    ///
    /// - Parameters:
    ///   - console: where it is written.
    ///   - drawn: the reply, as far as it was drawn before; nil for nothing.
    init(console: Console, after drawn: ChatItem? = nil) {
        self.console = console
        writer = ReplyWriter(console: console)
        (text, thinking) = (drawn?.text ?? "", drawn?.thinking ?? "")
    }

    /// Writes what is new. A reply that begins anew, after a search of the web, begins on a new line.
    func draw(_ reply: ChatItem) {
        if !reply.text.hasPrefix(text) || !reply.thinking.hasPrefix(thinking) {
            finish()
            (text, thinking, writer) = ("", "", ReplyWriter(console: console))
        }
        let newThinking = String(reply.thinking.dropFirst(thinking.count))
        if !newThinking.isEmpty { write(.reasoningChunk(newThinking)) }
        let newText = String(reply.text.dropFirst(text.count))
        if !newText.isEmpty { write(.chunk(newText)) }
        (text, thinking) = (reply.text, reply.thinking)
    }

    private func write(_ piece: MessageResponse) {
        writer.write(piece)
        hasLine = true
    }

    /// Ends the last line, if something was written.
    func finish() {
        if hasLine { writer.finish() }
        hasLine = false
    }
}
