// SPDX-License-Identifier: Apache-2.0

#if os(Linux) || os(Android)
    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #elseif canImport(Android)
        import Android
    #endif

    /// The most memory that this process has had resident, in bytes.
    package func peakMemory() -> Int {
        var usage = rusage()
        // 0 is RUSAGE_SELF, which is an integer in Musl and a type of its own in Glibc.
        guard getrusage(0, &usage) == 0 else { return 0 }
        // Linux counts KiB.
        return Int(usage.ru_maxrss) << 10
    }
#endif
