// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The limit on memory that is locked against swapping.
package enum MemoryLock {
    /// Checks before anything is loaded whether the limit allows so many bytes to be locked.
    ///
    /// - Throws: ``AllocationError`` where it does not.
    package static func check(_ byteCount: Int) throws(AllocationError) {
        guard let limit, limit < byteCount, limit < largestProbe else { return }
        // Privileged processes may lock more than the limit.
        _ = try AlignedBuffer(byteCount: Int(limit) + page, isLocked: true)
    }

    private static let largestProbe = 64 << 20
    private static let page = 1 << 16

    /// Explains why memory could not be locked, given the system's `errno`, and what to do.
    package static func problem(locking byteCount: Int, code: Int32) -> String {
        let limit = limit.map { $0 == .max ? "it sets no limit" : "its limit is \($0 >> 10) KiB" }
        let reason = String(cString: strerror(code))
        return "The system does not let this process lock the model's weights in memory (\(reason); "
            + "\(limit ?? "its limit is not known"), see RLIMIT_MEMLOCK in getrlimit(2)). \(remedy), or load the model "
            + "without locking it."
    }
}
