// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleySystem
import Synchronization

/// Writes a reply to standard output as it is generated: on a terminal its Markdown is drawn, without control characters
/// and wrapped between words; otherwise it is written unchanged.
final class ReplyWriter: Sendable {
    /// What is drawn on a terminal.
    private enum Drawing {
        case markdown(GrowingMarkdown)
        /// A terminal whose cursor cannot be moved.
        case words(WordWrapper)
        /// No terminal.
        case nothing
    }

    private let drawing: Mutex<Drawing>
    /// Whether the last piece was reasoning.
    private let wasReasoning = Atomic(false)
    /// How often this process had gone on when a piece was last drawn.
    private let continuations = Atomic(Continuations.shared.count)
    private let isTerminal: Bool
    private let console: Console

    init(console: Console) {
        self.console = console
        isTerminal = Terminal.Stream.output.isTerminal
        let size = Terminal.size
        drawing = Mutex(
            !isTerminal
                ? .nothing
                : Terminal.isDumb()
                    ? .words(WordWrapper(columns: size.columns))
                    : .markdown(GrowingMarkdown(size: size, style: console.outputStyle)))
    }

    /// Writes a piece: the answer, and on a terminal the reasoning before it.
    func write(_ response: MessageResponse) {
        switch response {
        case .chunk(let text):
            if wasReasoning.exchange(false, ordering: .relaxed) { console.write("\n\n") }
            write(text)
        case .reasoningChunk(let text):
            guard isTerminal else { return }
            wasReasoning.store(true, ordering: .relaxed)
            console.write(console.outputStyle.dim(PlainText.clean(text)))
        case .functionCall, .audioSample, .complete: break
        }
    }

    private func write(_ piece: String) {
        drawing.withLock { drawing in
            switch drawing {
            case .nothing: console.write(piece)
            case .words(var wrapper):
                let text = wrapper.append(PlainText.clean(piece))
                drawing = .words(wrapper)
                if !text.isEmpty { console.write(text) }
            case .markdown(var markdown):
                // Else each piece would copy all that was read before.
                drawing = .nothing
                adapt(&markdown)
                let text = markdown.append(piece)
                drawing = .markdown(markdown)
                console.draw(text)
            }
        }
    }

    /// Takes into account what has become of the terminal since the last piece.
    private func adapt(_ markdown: inout GrowingMarkdown) {
        markdown.fit(into: Terminal.size)
        let count = Continuations.shared.count
        if continuations.exchange(count, ordering: .relaxed) != count { markdown.forget() }
    }

    /// Ends the last line.
    func finish() {
        drawing.withLock { drawing in
            switch drawing {
            case .nothing: console.line()
            case .words(var wrapper):
                console.line(wrapper.finish())
                drawing = .words(wrapper)
            case .markdown(var markdown):
                // Reasoning without an answer ends its line; an answer has ended its own.
                if wasReasoning.exchange(false, ordering: .relaxed) { console.line() }
                adapt(&markdown)
                console.draw(markdown.finish())
                drawing = .markdown(markdown)
            }
        }
    }
}
