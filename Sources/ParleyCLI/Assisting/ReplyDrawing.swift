// SPDX-License-Identifier: Apache-2.0

import ParleyAssistant
import ParleyConversation

/// Writes a growing reply: each time what is new in it.
@MainActor
final class ReplyDrawing {
    private let console: Console
    private var writer: ReplyWriter
    private var text: GrowingText
    private var thinking: GrowingText
    private var hasLine = false
    private let onText: (String) -> Void

    /// Begins a drawing.
    ///
    /// - Parameters:
    ///   - console: where it is written.
    ///   - drawn: the reply, as far as it was drawn before; nil for nothing.
    ///   - onText: called with what is new in the text.
    init(console: Console, after drawn: ChatItem? = nil, onText: @escaping (String) -> Void = { _ in }) {
        self.console = console
        self.onText = onText
        writer = ReplyWriter(console: console)
        (text, thinking) = (GrowingText(drawn?.text ?? ""), GrowingText(drawn?.thinking ?? ""))
    }

    /// Writes what is new. A reply that begins anew, after a search of the web, begins on a new line.
    func draw(_ reply: ChatItem) {
        guard let newThinking = thinking.added(by: reply.thinking), let newText = text.added(by: reply.text) else {
            finish()
            (text, thinking, writer) = (GrowingText(), GrowingText(), ReplyWriter(console: console))
            return draw(reply)
        }
        if !newThinking.isEmpty { write(.reasoningChunk(newThinking)) }
        if newText.isEmpty { return }
        write(.chunk(newText))
        onText(newText)
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
