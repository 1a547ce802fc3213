// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    import Darwin

    /// Waits until what was written to a file is on the disk; returns 0, or -1 with `errno` set.
    ///
    /// Here `fsync` leaves the bytes in the drive's own cache, and not every file system has the stronger call.
    func flushToDisk(_ descriptor: Int32) -> Int32 {
        fcntl(descriptor, F_FULLFSYNC) == 0 ? 0 : fsync(descriptor)
    }
#endif
