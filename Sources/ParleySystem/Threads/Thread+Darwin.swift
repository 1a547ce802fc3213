// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    import Darwin

    /// Runs a closure on a new thread.
    ///
    /// - Returns: whether the system could start the thread; if not, the closure never runs.
    package func startThread(_ body: @escaping @Sendable () -> Void) -> Bool {
        var handle: pthread_t?
        let context = Unmanaged.passRetained(ThreadBody(body))
        guard pthread_create(&handle, nil, { runThreadBody($0) }, context.toOpaque()) == 0, let handle else {
            context.release()
            return false
        }
        pthread_detach(handle)
        return true
    }

    private func runThreadBody(_ context: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
        Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue().body()
        return nil
    }
#endif
