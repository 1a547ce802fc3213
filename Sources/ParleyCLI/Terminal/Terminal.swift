// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The standard streams of this process and the terminal they are connected to.
package enum Terminal {
    /// One of the standard streams.
    package enum Stream: Int32, Sendable {
        case input = 0
        case output = 1
        case error = 2

        /// Whether a terminal is on the other side.
        package var isTerminal: Bool { isatty(rawValue) == 1 }
    }

    /// Writes text to a stream at once, past any buffer.
    ///
    /// - Returns: whether all of it was written. Where the reader has gone, a signal ends the process instead.
    @discardableResult
    package static func write(_ text: String, to stream: Stream) -> Bool {
        Array(text.utf8).withUnsafeBufferPointer { bytes in
            writeAll(bytes) {
                systemWrite(stream.rawValue, $0.baseAddress, $0.count)
            } waiting: {
                wait(for: POLLOUT, on: stream, timeout: -1) != .failure
            }
        }
    }

    /// Writes bytes piece by piece, as `write` takes them.
    ///
    /// - Parameters:
    ///   - bytes: what to write.
    ///   - write: as write(2): returns how many bytes it took, or a negative number with the reason in `errno`.
    ///   - waiting: returns when more can be written; false where nothing ever can. Another process that shares the
    ///     stream may have made it non-blocking, and its reader may be slow.
    /// - Returns: whether all of it was written.
    package static func writeAll(
        _ bytes: UnsafeBufferPointer<UInt8>, with write: (UnsafeBufferPointer<UInt8>) -> Int, waiting: () -> Bool
    ) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = write(UnsafeBufferPointer(rebasing: rest))
            if count < 0, errno == EAGAIN {
                guard waiting() else { return false }
            } else if count < 0, errno != EINTR {
                return false
            }
            rest = rest.dropFirst(max(0, count))
        }
        return true
    }

    /// The size of the terminal, or the traditional one where there is none.
    package static var size: TerminalSize {
        for stream in [Stream.output, .error, .input] {
            var size = winsize()
            if ioctl(stream.rawValue, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 {
                return TerminalSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
            }
        }
        return TerminalSize()
    }

    /// Waits for input.
    ///
    /// - Returns: the bytes that came; empty when none came in time; nil at the end of the input.
    package static func read(timeout milliseconds: Int32) -> [UInt8]? {
        switch wait(for: POLLIN, on: .input, timeout: milliseconds) {
        case .failure: return nil
        case .nothing: return []
        case .ready: break
        }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = systemRead(Stream.input.rawValue, &bytes, bytes.count)
        if count < 0, errno == EINTR || errno == EAGAIN { return [] }
        return count > 0 ? Array(bytes[..<count]) : nil
    }

    private enum Readiness {
        case ready
        /// The time is over, or a signal came.
        case nothing
        case failure
    }

    /// Waits until a stream can be read or written; -1 milliseconds have no end.
    private static func wait(for event: some BinaryInteger, on stream: Stream, timeout milliseconds: Int32) -> Readiness
    {
        var descriptor = pollfd(fd: stream.rawValue, events: Int16(event), revents: 0)
        let count = poll(&descriptor, 1, milliseconds)
        if count < 0 { return errno == EINTR || errno == EAGAIN ? .nothing : .failure }
        return count > 0 ? .ready : .nothing
    }

    /// Stops this process as Ctrl-Z does; returns when it is continued.
    package static func suspend() {
        kill(0, SIGTSTP)
    }
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}

private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutablePointer<UInt8>, _ count: Int) -> Int {
    read(descriptor, bytes, count)
}
