// SPDX-License-Identifier: Apache-2.0

import ParleyModels
import ParleySystem
import Synchronization

/// Shows the progress of downloads on standard error: a bar on a terminal, otherwise a line for each quarter. A command
/// has one, so that it does not repeat itself.
final class FetchDisplay: Sendable {
    private struct State {
        var line: ProgressLine?
        var lastDrawn: ContinuousClock.Instant?
        /// The number of bytes that earlier attempts downloaded.
        var present: Int64 = 0
        /// The last quarter that was told, and of how many bytes it was one.
        var told = (quarter: 0, total: Int64(0))
        /// The hosts of which it was told that they cannot be reached.
        var unreachable: Set<String> = []
    }

    private let console: Console
    private let status = StatusLine()
    private let state = Mutex(State())

    init(console: Console) {
        self.console = console
    }

    /// Shows an event.
    func show(_ event: InstallEvent) {
        state.withLock { state in
            switch event {
            case .waiting(let file):
                console.note("Another parley is downloading \(file); waiting for it.")
            case .started:
                clear(&state)
            case .resumed(let bytes):
                state.present = bytes
                console.note("Resuming the download after \(ByteSize(clamping: bytes)).")
            case .received(let bytes, let total):
                received(bytes, of: total, &state)
            case .retrying(_, let error, let delay):
                erase(state)
                let seconds = max(1, (delay / .seconds(1)).rounded())
                console.note("\(error.message) Trying again in \(Int(seconds)) s.")
            case .failed(let source, let error, let next):
                clear(&state)
                state.told = (0, 0)
                // Each file of a model tries its sources anew.
                var isRepeated = false
                if error.code == .unreachable { isRepeated = !state.unreachable.insert(source.title).inserted }
                // Without a next source the command fails with an error that contains this message.
                if let next, !isRepeated { console.note("\(error.message) Trying \(next.title).") }
            case .unpacking:
                clear(&state)
                status.draw("Downloaded; unpacking it…")
                state.line = ProgressLine(total: 0, present: 0, now: .now)
            case .verifying:
                clear(&state)
            }
        }
    }

    /// Removes the bar, for example when the download was cancelled.
    func clear() {
        state.withLock { clear(&$0) }
    }

    private func received(_ bytes: Int64, of total: Int64, _ state: inout State) {
        let now = ContinuousClock.now
        var line = state.line ?? ProgressLine(total: total, present: state.present, now: now)
        line.total = total
        line.update(received: bytes, now: now)
        state.line = line
        if status.isShown {
            if let last = state.lastDrawn, last.duration(to: now) < .milliseconds(100), bytes < total { return }
            state.lastDrawn = now
            let text = bytes == total ? "Downloaded; checking it…" : line.text(columns: Terminal.size.columns - 1)
            status.draw(text)
        } else if total > 0 {
            let quarter = line.percent / 25
            if quarter > (total == state.told.total ? state.told.quarter : 0) { console.note(line.plainText) }
            state.told = (total == state.told.total ? max(quarter, state.told.quarter) : quarter, total)
        }
    }

    private func clear(_ state: inout State) {
        erase(state)
        (state.line, state.lastDrawn, state.present) = (nil, nil, 0)
    }

    private func erase(_ state: State) {
        if state.line != nil { status.erase() }
    }
}
