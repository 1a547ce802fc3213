// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    import Darwin

    /// Runs a closure on a new thread, with the stack that threads have on Linux: by default it would be a sixteenth.
    ///
    /// - Returns: whether the system could start the thread; if not, the closure never runs.
    package func startThread(_ body: @escaping @Sendable () -> Void) -> Bool {
        var handle: pthread_t?
        var attributes = pthread_attr_t()
        guard pthread_attr_init(&attributes) == 0 else { return false }
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setstacksize(&attributes, 8 << 20)
        let context = Unmanaged.passRetained(ThreadBody(body))
        guard pthread_create(&handle, &attributes, { runThreadBody($0) }, context.toOpaque()) == 0, let handle else {
            context.release()
            return false
        }
        pthread_detach(handle)
        return true
    }

    private func runThreadBody(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        if let context { Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue().body() }
        return nil
    }
#endif
