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
    /// Opens those that were closed when the program began, onto nothing.
    ///
    /// Otherwise the next file that is opened would take the number of such a stream, and what is written to the stream
    /// would go into the file.
    package static func hold() {
        // The lowest free number is taken first.
        while true {
            let descriptor = open("/dev/null", O_RDWR)
            guard descriptor > Terminal.Stream.error.rawValue else {
                if descriptor < 0 { return }
                continue
            }
            close(descriptor)
            return
        }
    }
}
