// SPDX-License-Identifier: Apache-2.0

import ParleySystem
import Synchronization

/// Shows the progress of reading files on a terminal.
final class ReadingDisplay: Sendable {
    private struct State {
        var line: ProgressLine?
        var lastDrawn: ContinuousClock.Instant?
    }

    private let verb: String
    private let status = StatusLine()
    private let state = Mutex(State())

    init(verb: String) {
        self.verb = PlainText.line(verb)
    }

    /// Shows the number of bytes read so far, and their total.
    func show(_ bytes: Int64, of total: Int64) {
        guard status.isShown else { return }
        state.withLock { state in
            let now = ContinuousClock.now
            var line = state.line ?? ProgressLine(total: total, now: now)
            line.update(received: bytes, now: now)
            state.line = line
            if let last = state.lastDrawn, last.duration(to: now) < .milliseconds(100) { return }
            state.lastDrawn = now
            let room = Terminal.size.columns - 2 - DisplayWidth.of(verb)
            status.draw("\(verb) \(line.text(columns: room))")
        }
    }

    /// Removes the line.
    func clear() {
        state.withLock { state in
            if state.line != nil { status.erase() }
            state = State()
        }
    }
}
