// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc) || canImport(Musl)
    #if canImport(Glibc)
        import Glibc
    #else
        import Musl
    #endif

    /// Runs a closure on a new thread.
    ///
    /// - Returns: whether the system could start the thread; if not, the closure never runs.
    package func startThread(_ body: @escaping @Sendable () -> Void) -> Bool {
        var handle = pthread_t()
        let context = Unmanaged.passRetained(ThreadBody(body))
        guard pthread_create(&handle, nil, { runThreadBody($0) }, context.toOpaque()) == 0 else {
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
