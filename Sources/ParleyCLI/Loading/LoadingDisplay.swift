// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Shows the progress of loading a model on a terminal, if it takes long enough to be noticed.
final class LoadingDisplay: Sendable {
    private struct State {
        var percent = -1
        let started = ContinuousClock.now
    }

    private let isTerminal = Terminal.Stream.error.isTerminal
    private let state = Mutex(State())

    /// Shows the fraction that is loaded.
    func show(_ fraction: Double) {
        guard isTerminal else { return }
        let percent = Int(max(0, min(1, fraction)) * 100)
        state.withLock { state in
            guard percent != state.percent, state.started.duration(to: .now) > .milliseconds(300) else { return }
            state.percent = percent
            Terminal.write("\r\u{1b}[KLoading… \(percent)%", to: .error)
        }
    }

    /// Removes what was shown.
    func clear() {
        state.withLock { state in
            if state.percent >= 0 { Terminal.write("\r\u{1b}[K", to: .error) }
            state.percent = -1
        }
    }
}
