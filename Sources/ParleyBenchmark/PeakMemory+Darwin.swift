// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    import Darwin

    /// The peak resident memory of this process, in bytes.
    package func peakMemory() -> Int {
        var usage = rusage()
        guard getrusage(RUSAGE_SELF, &usage) == 0 else { return 0 }
        return Int(usage.ru_maxrss)
    }
#endif
