// SPDX-License-Identifier: Apache-2.0

#if os(Linux) || os(Android)
    import FoundationEssentials

    /// How many processors this process may run on.
    package func usableProcessors() -> Int {
        ProcessInfo.processInfo.activeProcessorCount
    }
#endif
