// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    import Darwin

    /// The number of performance cores; a thread on an efficiency core would delay the others.
    package func usableProcessors() -> Int {
        for name in ["hw.perflevel0.physicalcpu", "hw.physicalcpu"] {
            var count: Int32 = 0
            var size = MemoryLayout<Int32>.size
            if sysctlbyname(name, &count, &size, nil, 0) == 0, count > 0 { return Int(count) }
        }
        return 1
    }
#endif
