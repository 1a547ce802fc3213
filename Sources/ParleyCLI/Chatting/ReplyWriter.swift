// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Writes a reply to standard output as it comes: to a terminal without what it would obey and broken between words,
/// elsewhere as it is.
final class ReplyWriter: Sendable {
    private let wrapper = Mutex(WordWrapper(columns: Terminal.size.columns))
    private let isTerminal = Terminal.Stream.output.isTerminal
    private let console: Console

    init(console: Console) {
        self.console = console
    }

    /// Writes a piece.
    func write(_ piece: String) {
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
