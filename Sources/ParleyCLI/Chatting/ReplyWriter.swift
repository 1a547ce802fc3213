// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleySystem
import Synchronization

/// Writes a reply to standard output as it is generated: on a terminal without control characters and wrapped between
/// words, otherwise unchanged.
final class ReplyWriter: Sendable {
    private let wrapper = Mutex(WordWrapper(columns: Terminal.size.columns))
    /// Whether the last piece was reasoning.
    private let wasReasoning = Atomic(false)
    private let isTerminal = Terminal.Stream.output.isTerminal
    private let console: Console

    init(console: Console) {
        self.console = console
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
        guard isTerminal else { return console.write(piece) }
        let text = wrapper.withLock { $0.append(PlainText.clean(piece)) }
        if !text.isEmpty { console.write(text) }
    }

    /// Ends the last line.
    func finish() {
        let rest = isTerminal ? wrapper.withLock { $0.finish() } : ""
        console.line(rest)
    }
}
