// SPDX-License-Identifier: Apache-2.0

import ParleyCLI
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite("TerminalMode")
struct TerminalModeTests {
    @Test("the mode is set again after a shell has set another one while the process was stopped")
    func restored() async {
        await #expect(processExitsWith: .success) {
            var (controller, terminal) = (Int32(-1), Int32(-1))
            guard openpty(&controller, &terminal, nil, nil, nil) == 0, dup2(terminal, 0) == 0,
                let mode = TerminalMode()
            else { exit(2) }
            var shell = termios()
            tcgetattr(0, &shell)
            mode.set(.editing)
            tcsetattr(0, TCSANOW, &shell)
            mode.restore()
            var restored = termios()
            tcgetattr(0, &restored)
            let flags = tcflag_t(ECHO | ICANON | ISIG)
            exit(shell.c_lflag & flags == flags && restored.c_lflag & flags == 0 ? 0 : 1)
        }
    }
}
