// SPDX-License-Identifier: Apache-2.0

#if os(Linux) || os(Android)
    import FoundationEssentials

    /// How many threads compute at full speed: one for each core that this process may use, within the processor time
    /// of its control group.
    package func usableProcessors() -> Int {
        ProcessorCount(SystemFiles()).usable ?? ProcessInfo.processInfo.activeProcessorCount
    }
#endif
