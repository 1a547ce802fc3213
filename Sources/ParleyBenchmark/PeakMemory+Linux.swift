// SPDX-License-Identifier: Apache-2.0

#if os(Linux) || os(Android)
    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #elseif canImport(Android)
        import Android
    #endif

    /// The peak resident memory of this process, in bytes.
    package func peakMemory() -> Int {
        var usage = rusage()
        // 0 is RUSAGE_SELF, which is an integer in Musl but has its own type in Glibc.
        guard getrusage(0, &usage) == 0 else { return 0 }
        // Linux reports KiB.
        return Int(usage.ru_maxrss) << 10
    }
#endif
