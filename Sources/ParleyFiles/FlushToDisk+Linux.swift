// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// Waits until what was written to a file is on the disk; returns 0, or -1 with `errno` set.
    package func flushToDisk(_ descriptor: Int32) -> Int32 {
        fsync(descriptor)
    }
#endif
