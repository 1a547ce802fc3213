// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc) || canImport(Musl)
    #if canImport(Glibc)
        import Glibc
    #else
        import Musl
    #endif

    /// How many processors this process may run on.
    func usableProcessors() -> Int {
        var set = cpu_set_t()
        guard sched_getaffinity(0, MemoryLayout<cpu_set_t>.size, &set) == 0 else {
            return max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1)
        }
        return max(withUnsafeBytes(of: &set) { $0.reduce(0) { $0 + $1.nonzeroBitCount } }, 1)
    }
#endif
