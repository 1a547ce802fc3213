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
    private let isEditing = Mutex(false)

    /// Remembers the current mode; nil if the input is not a terminal.
    package init?() {
        var attributes = termios()
        guard tcgetattr(Terminal.Stream.input.rawValue, &attributes) == 0 else { return nil }
        original = attributes
    }

    deinit { set(.original) }

    /// Changes the mode, keeping input that was typed before.
    package func set(_ mode: Mode) {
        var attributes = original
        switch mode {
        case .original: break
        case .editing: cfmakeraw(&attributes)
        case .waiting: attributes.c_lflag &= ~tcflag_t(ECHO | ICANON)
        }
        isEditing.withLock { isEditing in
            tcsetattr(Terminal.Stream.input.rawValue, TCSADRAIN, &attributes)
            let wasEditing = isEditing
            isEditing = mode == .editing
            guard isEditing != wasEditing, !TextStyle.isDumb else { return }
            Terminal.write(isEditing ? "\u{1b}[?2004h" : "\u{1b}[?2004l", to: .output)
        }
    }
}
