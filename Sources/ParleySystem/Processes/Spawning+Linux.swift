// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// Opens a pipe whose ends no other program inherits.
    func openPipe(_ ends: inout [Int32]) -> Int32 {
        guard pipe(&ends) == 0 else { return -1 }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return 0
    }

    /// Starts a program in a process group of its own, with two open files and standard error going nowhere.
    func spawnProcess(
        _ command: String, _ arguments: [String], _ environment: [String], input: Int32, output: Int32
    ) -> (id: Int32, failure: Int32) {
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        posix_spawn_file_actions_adddup2(&actions, input, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        for descriptor in openDescriptors() { posix_spawn_file_actions_addclose(&actions, descriptor) }
        // Signals that this process ignores or blocks are not its child's business.
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for number in [SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGCONT] { sigaddset(&signals, number) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setpgroup(&attributes, 0)
        let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK
        posix_spawnattr_setflags(&attributes, Int16(flags))
        var id = pid_t(0)
        let failure = withCStrings(arguments) { arguments in
            withCStrings(environment) { posix_spawnp(&id, command, &actions, &attributes, arguments, $0) }
        }
        return (id, failure)
    }

    /// Writes without the signal that would end this process when nobody reads any more.
    func writeWithoutSignal(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> (count: Int, failure: Int32) {
        var signals = sigset_t()
        var before = sigset_t()
        var pending = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        sigpending(&pending)
        let wasPending = sigismember(&pending, SIGPIPE) == 1
        pthread_sigmask(SIG_BLOCK, &signals, &before)
        let count = write(descriptor, bytes.baseAddress, bytes.count)
        let failure = count < 0 ? errno : 0
        if failure == EPIPE, !wasPending {
            // The signal was sent to this thread, which blocks it; here it is taken away.
            var time = timespec()
            sigtimedwait(&signals, nil, &time)
        }
        pthread_sigmask(SIG_SETMASK, &before, nil)
        return (count, failure)
    }

    /// The open files of this process except the three standard ones.
    private func openDescriptors() -> [Int32] {
        guard let directory = opendir("/proc/self/fd") else { return [] }
        defer { closedir(directory) }
        let own = dirfd(directory)
        var result: [Int32] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if let number = Int32(name), number > 2, number != own { result.append(number) }
        }
        return result
    }
#endif
