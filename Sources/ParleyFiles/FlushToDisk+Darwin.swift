// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    import Darwin

    /// Waits until what was written to a file is on the disk; returns 0, or -1 with `errno` set.
    ///
    /// On Darwin, `fsync` leaves the bytes in the drive's cache. `F_FULLFSYNC` does not, but some file systems lack it.
    package func flushToDisk(_ descriptor: Int32) -> Int32 {
        fcntl(descriptor, F_FULLFSYNC) == 0 ? 0 : fsync(descriptor)
    }
#endif
