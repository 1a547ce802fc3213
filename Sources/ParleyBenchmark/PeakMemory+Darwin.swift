// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    import Darwin

    /// The most memory that this process has had resident, in bytes.
    package func peakMemory() -> Int {
        var usage = rusage()
        guard getrusage(RUSAGE_SELF, &usage) == 0 else { return 0 }
        return Int(usage.ru_maxrss)
    }
#endif
