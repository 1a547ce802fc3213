// SPDX-License-Identifier: Apache-2.0

import ParleyCLI
import ParleySystem
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

    @Test("before the process ends by a signal, the shell gets its mode back for good, whatever is asked for meanwhile")
    func givenBack() async {
        await #expect(processExitsWith: .success) {
            var (controller, terminal) = (Int32(-1), Int32(-1))
            guard openpty(&controller, &terminal, nil, nil, nil) == 0, dup2(terminal, 0) == 0,
                let mode = TerminalMode()
            else { exit(2) }
            mode.set(.editing)
            mode.giveBack()
            mode.set(.editing)
            mode.restore()
            var left = termios()
            tcgetattr(0, &left)
            let flags = tcflag_t(ECHO | ICANON | ISIG)
            exit(left.c_lflag & flags == flags ? 0 : 1)
        }
    }

    @Test("in the background the mode stays that of the shell, and is set when this process has the terminal")
    func background() async {
        await #expect(processExitsWith: .success) {
            var (controller, terminal) = (Int32(-1), Int32(-1))
            // In a session of its own, to which the terminal belongs.
            guard setsid() > 0, openpty(&controller, &terminal, nil, nil, nil) == 0,
                ioctl(terminal, UInt(TIOCSCTTY), 0) == 0, dup2(terminal, 0) == 0, let mode = TerminalMode()
            else { exit(2) }
            // As on threads of Dispatch, which the system does not stop when they change the terminal.
            signal(SIGTTOU, SIG_IGN)
            let other = try ChildProcess("/bin/cat", [], environment: [:])
            guard tcsetpgrp(0, other.id) == 0 else { exit(3) }
            var (behind, before) = (termios(), termios())
            mode.set(.editing)
            tcgetattr(0, &behind)
            guard tcsetpgrp(0, getpgrp()) == 0 else { exit(4) }
            mode.restore()
            tcgetattr(0, &before)
            let flags = tcflag_t(ECHO | ICANON | ISIG)
            exit(behind.c_lflag & flags == flags && before.c_lflag & flags == 0 ? 0 : 1)
        }
    }
}
