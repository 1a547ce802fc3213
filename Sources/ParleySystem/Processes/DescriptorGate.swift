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
            var waiter: CheckedContinuation<Void, Never>?
        }

        private let descriptor: Int32
        /// `nonisolated(unsafe)`: sources are safe to use from any thread; suspending and resuming happens under the lock.
        private nonisolated(unsafe) let source: any DispatchSourceProtocol
        private let state = Mutex(State())

        init(_ descriptor: Int32, _ direction: Direction) {
            _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
            self.descriptor = descriptor
            let queue = DispatchQueue(label: "parley.pipe")
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
                    if !isToWait { continuation.resume() }
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
