// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Why memory could not be kept from being swapped out.
package enum MemoryLock {
    /// Finds out before anything is loaded whether so much may be locked, as far as the limit tells.
    ///
    /// - Throws: ``AllocationError`` where it may not be.
    package static func check(_ byteCount: Int) throws(AllocationError) {
        guard let limit, limit < byteCount, limit < largestProbe else { return }
        // Whoever has the right to, may lock more.
        _ = try AlignedBuffer(byteCount: Int(limit) + page, isLocked: true)
    }

    private static let largestProbe = 64 << 20
    private static let page = 1 << 16

    /// Says what forbids it and what to do.
    ///
    /// - Parameter code: what the system gave as the reason (`errno`).
    package static func problem(locking byteCount: Int, code: Int32) -> String {
        let limit = limit.map { $0 == .max ? "it sets no limit" : "its limit is \($0 >> 10) KiB" }
        let reason = String(cString: strerror(code))
        return "The system does not let this process lock the model's weights in memory (\(reason); "
            + "\(limit ?? "its limit is not known"), see RLIMIT_MEMLOCK in getrlimit(2)). \(remedy), or load the model "
            + "without locking it."
    }
}
