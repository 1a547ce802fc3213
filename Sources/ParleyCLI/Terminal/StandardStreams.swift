// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The three descriptors that every program expects to have.
package enum StandardStreams {
    /// Opens streams that were closed when the program began, so that reading or writing them still fails.
    ///
    /// Otherwise the next file that is opened would take the number of such a stream, and output to the stream would go
    /// into the file.
    package static func hold() {
        for stream in STDIN_FILENO...STDERR_FILENO where fcntl(stream, F_GETFD) < 0 {
            // This takes the lowest free number, the stream's own. The input cannot be read; the others cannot be
            // written.
            _ = open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }
}
