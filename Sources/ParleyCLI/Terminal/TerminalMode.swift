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

    private let original: termios
    /// Held while the mode changes: signals change it too.
    private let current = Mutex(Mode.original)

    /// Remembers the current mode; nil if the input is not a terminal.
    package init?() {
        var attributes = termios()
        guard tcgetattr(Terminal.Stream.input.rawValue, &attributes) == 0 else { return nil }
        original = attributes
        Continuations.shared.restoring { [weak self] in self?.restore() }
    }

    deinit { set(.original) }

    /// Changes the mode, keeping input that was typed before.
    package func set(_ mode: Mode) {
        current.withLock { current in
            apply(mode)
            if (mode == .editing) != (current == .editing) { markPastes(mode == .editing) }
            current = mode
        }
    }

    /// Sets the mode once more, because a shell has set another one while this process was stopped.
    package func restore() {
        current.withLock { current in
            apply(current)
            if current == .editing { markPastes(true) }
        }
    }

    /// Suspends this process and those that run with it, as Ctrl-Z does; returns when it is continued.
    package func suspend() {
        set(.original)
        let count = Continuations.shared.count
        kill(0, SIGTSTP)
        // Another thread may have taken the signal, so that this one goes on for a moment. A process that no shell could
        // continue is not stopped at all.
        for _ in 0..<100 where Continuations.shared.count == count { usleep(1_000) }
    }

    private func apply(_ mode: Mode) {
        var attributes = original
        switch mode {
        case .original: break
        case .editing: cfmakeraw(&attributes)
        case .waiting: attributes.c_lflag &= ~tcflag_t(ECHO | ICANON)
        }
        tcsetattr(Terminal.Stream.input.rawValue, TCSADRAIN, &attributes)
    }

    private func markPastes(_ isWanted: Bool) {
        if !Terminal.isDumb() { Terminal.write(isWanted ? "\u{1b}[?2004h" : "\u{1b}[?2004l", to: .output) }
    }
}
