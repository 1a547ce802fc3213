// SPDX-License-Identifier: Apache-2.0

#if os(macOS) || os(Linux)
    import Dispatch
    import Synchronization

    #if canImport(Darwin)
        import Darwin
    #elseif canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// One end of a pipe that tasks wait for, so that no thread is blocked by the program at its other end.
    ///
    /// One task at a time may wait. The descriptor is owned and does not block.
    final class DescriptorGate: Sendable {
        /// Whether the end is read from or written to.
        enum Direction: Sendable {
            case reading, writing
        }

        private struct State {
            var isClosed = false
            /// Whether the source reports the next event. It is suspended otherwise, because it reports a state, not a
            /// change.
            var isArmed = false
            /// Whether somebody looks from time to time if there is a reader.
            var isWatched = false
            var waiter: CheckedContinuation<Void, Never>?
        }

        private let descriptor: Int32
        private let direction: Direction
        private let queue = DispatchQueue(label: "parley.pipe")
        /// `nonisolated(unsafe)`: sources are safe to use from any thread; suspending and resuming happens under the lock.
        private nonisolated(unsafe) let source: any DispatchSourceProtocol
        private let state = Mutex(State())

        init(_ descriptor: Int32, _ direction: Direction) {
            _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
            (self.descriptor, self.direction) = (descriptor, direction)
            switch direction {
            case .reading: source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
            case .writing: source = DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: queue)
            }
            source.setEventHandler { [weak self] in self?.wake() }
            // Closed only when the source no longer watches it: the number may be another file's at once.
            source.setCancelHandler { _ = systemClose(descriptor) }
        }

        deinit { close() }

        /// Calls a closure with the descriptor; nil if it is closed.
        func use<Value: Sendable>(_ body: (Int32) -> Value) -> Value? {
            state.withLock { $0.isClosed ? nil : body(descriptor) }
        }

        /// Waits until the descriptor is ready or closed, or the task is cancelled.
        func wait() async {
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let isToWait = state.withLock { state in
                        if state.isClosed || Task.isCancelled { return false }
                        state.waiter = continuation
                        if !state.isArmed { source.resume() }
                        state.isArmed = true
                        return true
                    }
                    // Only now: who looks for the reader ends with that where nobody waits.
                    if isToWait { watchForReader() } else { continuation.resume() }
                }
            } onCancel: {
                takeWaiter()?.resume()
            }
        }

        /// Closes the descriptor and wakes who waits for it.
        func close() {
            let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
                if state.isClosed { return nil }
                state.isClosed = true
                source.cancel()
                // The handler that closes runs only in a source that is not suspended.
                if !state.isArmed { source.resume() }
                state.isArmed = true
                defer { state.waiter = nil }
                return state.waiter
            }
            waiter?.resume()
        }

        private func wake() {
            let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
                if state.isArmed, !state.isClosed {
                    source.suspend()
                    state.isArmed = false
                }
                defer { state.waiter = nil }
                return state.waiter
            }
            waiter?.resume()
        }

        /// Has the gate closed if its pipe loses its reader while it is full: of that libdispatch reports nothing on Linux
        /// (`EPOLLERR` alone), and asks again and again.
        private func watchForReader() {
            #if !canImport(Darwin)
                guard direction == .writing else { return }
                let isWatched = state.withLock { state in
                    defer { state.isWatched = true }
                    return state.isWatched
                }
                if !isWatched { lookForReader() }
            #endif
        }

        #if !canImport(Darwin)
            private func lookForReader() {
                queue.asyncAfter(deadline: .now() + .milliseconds(100)) { [weak self] in
                    guard let self else { return }
                    let (goesOn, isBroken) = state.withLock { state in
                        state.isWatched = state.waiter != nil
                        guard state.isWatched, !state.isClosed else { return (false, false) }
                        var end = pollfd(fd: descriptor, events: 0, revents: 0)
                        return (true, poll(&end, 1, 0) > 0 && end.revents & Int16(POLLERR) != 0)
                    }
                    if isBroken { close() } else if goesOn { lookForReader() }
                }
            }
        #endif

        private func takeWaiter() -> CheckedContinuation<Void, Never>? {
            state.withLock { state in
                defer { state.waiter = nil }
                return state.waiter
            }
        }
    }

    // The method above would shadow this.
    private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }
#endif
