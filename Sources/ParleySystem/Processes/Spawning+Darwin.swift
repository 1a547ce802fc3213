// SPDX-License-Identifier: Apache-2.0

#if os(macOS)
    import Darwin

    /// Opens a pipe whose writing end sends no signal to this process when nobody reads any more.
    func openPipe(_ ends: inout [Int32]) -> Int32 {
        guard pipe(&ends) == 0 else { return -1 }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(ends[1], F_SETNOSIGPIPE, 1)
        return 0
    }

    /// Starts a program in a process group of its own, with two open files and standard error going nowhere.
    func spawnProcess(
        _ command: String, _ arguments: [String], _ environment: [String], input: Int32, output: Int32
    ) -> (id: Int32, failure: Int32) {
        var actions: posix_spawn_file_actions_t?
        var attributes: posix_spawnattr_t?
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        posix_spawn_file_actions_adddup2(&actions, input, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        // Signals that this process ignores or blocks are not its child's business.
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for number in [SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGCONT] { sigaddset(&signals, number) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setpgroup(&attributes, 0)
        let flags =
            POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_CLOEXEC_DEFAULT
        posix_spawnattr_setflags(&attributes, Int16(flags))
        var id = pid_t(0)
        let failure = withCStrings(arguments) { arguments in
            withCStrings(environment) { posix_spawnp(&id, command, &actions, &attributes, arguments, $0) }
        }
        return (id, failure)
    }

    /// Writes without the signal that would end this process; the pipe itself was opened so.
    func writeWithoutSignal(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> (count: Int, failure: Int32) {
        let count = write(descriptor, bytes.baseAddress, bytes.count)
        return (count, count < 0 ? errno : 0)
    }
#endif
