// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The system's limit on memory that is locked against swapping.
package enum MemoryLock {
    /// Checks, before a model is loaded, whether so many bytes can be locked; returns why not and what to do, or nil if
    /// they can or if only the attempt itself will tell.
    package static func problem(locking byteCount: Int) -> String? {
        guard let limit, limit < byteCount, limit < largestProbe else { return nil }
        // Privileged processes may lock more than the limit, so this tries it.
        let probe = Int(limit) + page
        guard let memory = mmap(nil, probe, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0),
            memory != MAP_FAILED
        else { return nil }
        defer { munmap(memory, probe) }
        return mlock(memory, probe) == 0 ? nil : problem(locking: probe, code: errno)
    }

    private static let largestProbe = 64 << 20
    private static let page = 1 << 16

    /// Explains why memory could not be locked, from the system's `errno`, and what to do.
    package static func problem(locking byteCount: Int, code: Int32) -> String {
        let limit = limit.map { $0 == .max ? "it sets no limit" : "its limit is \($0 >> 10) KiB" }
        let reason = String(cString: strerror(code))
        return "The system does not let this process lock the model's weights in memory (\(reason); "
            + "\(limit ?? "its limit is not known"), see RLIMIT_MEMLOCK in getrlimit(2)). \(remedy), or load the model "
            + "without locking it."
    }
}
