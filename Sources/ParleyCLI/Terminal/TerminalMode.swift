// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The terminal's input mode, and the mode before.
package final class TerminalMode: Sendable {
    /// An input mode.
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

    /// Changes the mode. Input that was typed before is kept.
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
