// SPDX-License-Identifier: Apache-2.0

package import ParleyHTTP

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

        /// Whether the stream is connected to a terminal.
        package var isTerminal: Bool { isatty(rawValue) == 1 }
    }

    /// Whether the terminal can do nothing but write, or nobody says what it can.
    package static func isDumb(_ environment: ProcessEnvironment = .process) -> Bool {
        (environment["TERM"] ?? "dumb") == "dumb"
    }

    /// Whether another process has the terminal, because a shell lets this one run in the background.
    static var isInBackground: Bool {
        let foreground = tcgetpgrp(Stream.input.rawValue)
        return foreground > 0 && foreground != getpgrp()
    }

    /// Writes text to a stream immediately, without buffering.
    ///
    /// - Returns: whether all of it was written; `errno` says why not. If the reader has closed the stream, a signal ends
    ///   the process, unless it is ignored.
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

    /// Writes bytes with repeated calls of `write`.
    ///
    /// - Parameters:
    ///   - bytes: what to write.
    ///   - write: behaves as write(2): returns the number of bytes written, or a negative number and sets `errno`.
    ///   - waiting: waits until more can be written; returns false if that is impossible. It is needed because another
    ///     process that shares the stream may have made it non-blocking, and its reader may be slow.
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

    /// The size of the terminal; 80 by 24 if there is none.
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
    /// - Returns: the bytes read; empty after a timeout; nil at the end of the input.
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
        /// The timeout has expired, or a signal was received.
        case nothing
        case failure
    }

    /// Waits until a stream can be read or written. The timeout is in milliseconds; -1 waits without limit.
    private static func wait(for event: some BinaryInteger, on stream: Stream, timeout milliseconds: Int32) -> Readiness
    {
        var descriptor = pollfd(fd: stream.rawValue, events: Int16(event), revents: 0)
        let count = poll(&descriptor, 1, milliseconds)
        if count < 0 { return errno == EINTR || errno == EAGAIN ? .nothing : .failure }
        return count > 0 ? .ready : .nothing
    }
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}

private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutablePointer<UInt8>, _ count: Int) -> Int {
    read(descriptor, bytes, count)
}
