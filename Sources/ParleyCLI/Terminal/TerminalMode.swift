// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// How the terminal treats what is typed, and how it did before.
package final class TerminalMode: Sendable {
    /// A way of treating input.
    package enum Mode: Sendable {
        /// As the shell left it.
        case original
        /// Every key comes at once, with its bytes as they are; nothing is shown.
        case editing
        /// Keys are kept for later and not shown; Ctrl-C still interrupts.
        case waiting
    }

    private let original: termios

    /// Remembers the present mode; nil where the input is no terminal.
    package init?() {
        var attributes = termios()
        guard tcgetattr(Terminal.Stream.input.rawValue, &attributes) == 0 else { return nil }
        original = attributes
    }

    deinit { set(.original) }

    /// Changes the mode. What was typed already is kept.
    package func set(_ mode: Mode) {
        var attributes = original
        switch mode {
        case .original: break
        case .editing: cfmakeraw(&attributes)
        case .waiting: attributes.c_lflag &= ~tcflag_t(ECHO | ICANON)
        }
        tcsetattr(Terminal.Stream.input.rawValue, TCSADRAIN, &attributes)
    }
}
