// SPDX-License-Identifier: Apache-2.0

#if os(Linux) || os(Android)
    import FoundationEssentials

    /// The number of threads that can compute at full speed: one for each core that this process may use, within the
    /// processor time that its control groups allow.
    package func usableProcessors() -> Int {
        ProcessorCount(SystemFiles()).usable ?? ProcessInfo.processInfo.activeProcessorCount
    }
#endif
