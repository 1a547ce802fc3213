// SPDX-License-Identifier: Apache-2.0

import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Changes the terminal's input mode, and remembers the original one.
package final class TerminalMode: Sendable {
    /// An input mode.
    package enum Mode: Sendable {
        /// The mode that the shell has set.
        case original
        /// Every key is delivered immediately and unprocessed, and pasted text between marks; nothing is echoed.
        case editing
        /// Keys are buffered and not echoed; Ctrl-C still interrupts.
        case waiting
    }

    private struct State {
        var mode = Mode.original
        /// Whether the mode stays as it is, because the process ends.
        var isOver = false
    }

    private let original: termios
    /// Held while the mode changes: signals change it too.
    private let state = Mutex(State())

    /// Remembers the current mode; nil if the input is not a terminal. In the background it waits until this process has
    /// the terminal, whose mode is another one while a shell reads a line.
    package init?() {
        Self.waitForTerminal()
        var attributes = termios()
        guard tcgetattr(Terminal.Stream.input.rawValue, &attributes) == 0 else { return nil }
        original = attributes
        Continuations.shared.restoring { [weak self] in self?.restore() }
    }

    deinit { set(.original) }

    /// Changes the mode, keeping input that was typed before. In the background, where the terminal stays as it is,
    /// ``restore()`` does so later.
    package func set(_ mode: Mode) {
        state.withLock { state in
            guard !state.isOver else { return }
            apply(mode, after: state.mode)
            state.mode = mode
        }
    }

    /// Sets the original mode for good, before the process ends by a signal: what goes on meanwhile, such as the next
    /// prompt, cannot leave the shell another one.
    package func giveBack() {
        state.withLock { state in
            apply(.original, after: state.mode)
            state = State(isOver: true)
        }
    }

    /// Sets the mode once more, because a shell has set another one while this process was stopped.
    package func restore() {
        state.withLock { state in
            if state.mode != .original { apply(state.mode, after: state.mode) }
        }
    }

    /// Suspends this process and those that run with it, as Ctrl-Z does; returns when it is continued.
    package func suspend() {
        set(.original)
        Self.stop(by: SIGTSTP)
    }

    /// Returns when this process has the terminal. In the background it is stopped, as the system stops whoever reads from a
    /// terminal there, but not threads of Dispatch, which block that signal.
    static func waitForTerminal() {
        while Terminal.isInBackground { stop(by: SIGTTIN) }
    }

    private static func stop(by signal: Int32) {
        let count = Continuations.shared.count
        kill(0, signal)
        // Another thread may have taken the signal, so that this one goes on for a moment. A process that no shell could
        // continue is not stopped at all. One that goes on in the background may do so to be ended, which takes a moment.
        for _ in 0..<100 where Continuations.shared.count == count || Terminal.isInBackground { usleep(1_000) }
    }

    private func apply(_ mode: Mode, after last: Mode) {
        guard !Terminal.isInBackground else { return }
        var attributes = original
        switch mode {
        case .original: break
        case .editing: cfmakeraw(&attributes)
        case .waiting: attributes.c_lflag &= ~tcflag_t(ECHO | ICANON)
        }
        tcsetattr(Terminal.Stream.input.rawValue, TCSADRAIN, &attributes)
        guard mode == .editing || last == .editing, !Terminal.isDumb() else { return }
        Terminal.write(mode == .editing ? "\u{1b}[?2004h" : "\u{1b}[?2004l", to: .output)
    }
}
