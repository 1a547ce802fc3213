// SPDX-License-Identifier: Apache-2.0

#if os(macOS) || os(Linux)
    import Synchronization

    #if canImport(Darwin)
        import Darwin
    #elseif canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// Waits for the end of a child process on a thread of its own, and signals it while its number is its own.
    final class ProcessWatch: Sendable {
        private struct State {
            var exit: ChildProcess.Exit?
            var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
            var nextWaiter = 0
        }

        let id: Int32
        private let state = Mutex(State())

        init(_ id: Int32) { self.id = id }

        /// Starts to wait; if there is no thread for it, the process is killed and false returned.
        func start() -> Bool {
            if startThread({ [self] in waitOnThread() }) { return true }
            kill(-id, SIGKILL)
            var status: Int32 = 0
            waitpid(id, &status, 0)
            state.withLock { $0.exit = .signal(SIGKILL) }
            return false
        }

        /// How the process ended; nil while it runs.
        var exit: ChildProcess.Exit? { state.withLock { $0.exit } }

        /// Sends a signal to the process and its group, if it has not ended.
        func signal(_ number: Int32) {
            state.withLock { if $0.exit == nil { kill(-id, number) } }
        }

        /// Waits for the end.
        func wait() async throws -> ChildProcess.Exit {
            while true {
                try Task.checkCancellation()
                let key = state.withLock { state in
                    state.nextWaiter += 1
                    return state.nextWaiter
                }
                await withTaskCancellationHandler {
                    await withCheckedContinuation { continuation in
                        let isToWait = state.withLock { state in
                            if state.exit != nil || Task.isCancelled { return false }
                            state.waiters[key] = continuation
                            return true
                        }
                        if !isToWait { continuation.resume() }
                    }
                } onCancel: {
                    state.withLock { $0.waiters.removeValue(forKey: key) }?.resume()
                }
                if let exit { return exit }
            }
        }

        /// Whether it ends within a time, whether or not the current task is cancelled.
        func hasEnded(within time: Duration) async -> Bool {
            if exit != nil { return true }
            // A task of its own is not cancelled with this one.
            let race = Task {
                await withTaskGroup(of: Void.self) { group in
                    group.addTask { _ = try? await self.wait() }
                    group.addTask { try? await Task.sleep(for: time) }
                    await group.next()
                    group.cancelAll()
                }
            }
            await race.value
            return exit != nil
        }

        private func waitOnThread() {
            var info = siginfo_t()
            // Its number remains its own until it is waited for below; until then, what it leaves behind can be ended.
            while waitid(P_PID, id_t(id), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
            let waiters = state.withLock { state in
                kill(-id, SIGKILL)
                var status: Int32 = 0
                while waitpid(id, &status, 0) < 0, errno == EINTR {}
                let signal = status & 0x7F
                state.exit = signal == 0 ? .status((status >> 8) & 0xFF) : .signal(signal)
                defer { state.waiters = [:] }
                return state.waiters.values
            }
            for waiter in waiters { waiter.resume() }
        }
    }
#endif
