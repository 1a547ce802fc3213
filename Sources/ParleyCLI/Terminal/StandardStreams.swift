// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Makes sure that the three standard streams are open.
package enum StandardStreams {
    /// Opens standard streams that were closed when the program began. Reading or writing them still fails.
    ///
    /// Without this, the next opened file would get the descriptor of a closed stream, and output to that stream would
    /// be written to the file.
    package static func hold() {
        for stream in STDIN_FILENO...STDERR_FILENO where fcntl(stream, F_GETFD) < 0 {
            // `open` returns the lowest free descriptor, which is the stream's. The mode makes using the stream fail.
            _ = open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }
}
