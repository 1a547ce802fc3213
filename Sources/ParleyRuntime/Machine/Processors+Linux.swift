// SPDX-License-Identifier: Apache-2.0

#if os(Linux) || os(Android)
    import FoundationEssentials

    /// How many threads compute at full speed: one for each core that this process may use, as far as its control group
    /// gives it time.
    package func usableProcessors() -> Int {
        ProcessorCount(SystemFiles()).usable ?? ProcessInfo.processInfo.activeProcessorCount
    }
#endif
