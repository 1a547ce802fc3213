// SPDX-License-Identifier: Apache-2.0

import ParleyCLI
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite("Terminal")
struct TerminalTests {
    @Test("when a pipe is full, writing waits until it has space")
    func fullPipe() throws {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        for end in ends { #expect(fcntl(end, F_SETFL, O_NONBLOCK) == 0) }
        let text = [UInt8]((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        func drain() {
            while true {
                let count = read(ends[0], &buffer, buffer.count)
                guard count > 0 else { return }
                received += buffer[..<count]
            }
        }
        var refusals = 0
        var waits = 0
        let isWritten = text.withUnsafeBufferPointer { bytes in
            Terminal.writeAll(bytes) { rest in
                let count = write(ends[1], rest.baseAddress, rest.count)
                guard count < 0 else { return count }
                refusals += 1
                if refusals > waits + 1 { errno = EBADF } else { errno = EAGAIN }
                return count
            } waiting: {
                waits += 1
                drain()
                return true
            }
        }
        drain()
        #expect(isWritten && received == text)
        #expect(refusals == waits && waits > 0)
    }

    @Test("writing to a stream that never becomes writable ends", arguments: [EAGAIN, EBADF])
    func hopeless(code: Int32) {
        let isWritten = [UInt8]([1]).withUnsafeBufferPointer { bytes in
            Terminal.writeAll(bytes) { _ in
                errno = code
                return -1
            } waiting: {
                false
            }
        }
        #expect(!isWritten)
    }

    @Test("a signal does not interrupt writing")
    func interrupted() {
        var calls = 0
        let isWritten = [UInt8]([1, 2]).withUnsafeBufferPointer { bytes in
            Terminal.writeAll(bytes) { _ in
                calls += 1
                errno = EINTR
                return calls == 1 ? -1 : 1
            } waiting: {
                false
            }
        }
        #expect(isWritten && calls == 3)
    }

    @Test("streams that are closed at the start are held open, and files get other numbers")
    func closedStreams() async {
        await #expect(processExitsWith: .success) {
            for stream in 0...2 as ClosedRange<Int32> { close(stream) }
            StandardStreams.hold()
            for stream in 0...2 as ClosedRange<Int32> where fcntl(stream, F_GETFD) < 0 { exit(1) }
            let next = open("/dev/null", O_RDONLY)
            exit(next > 2 ? 0 : 2)
        }
    }
}
