// SPDX-License-Identifier: Apache-2.0

#if os(macOS) || os(Linux)
    import Foundation
    import ParleySystem
    import Testing

    @Suite("A child process")
    struct ChildProcessTests {
        private func output(of process: ChildProcess) async throws -> String {
            var bytes: [UInt8] = []
            while let piece = try await process.read() { bytes += piece }
            return String(decoding: bytes, as: UTF8.self)
        }

        @Test("It has exactly the environment that it is given")
        func environment() async throws {
            let process = try ChildProcess("/usr/bin/env", [], environment: ["A": "1", "B": "two words"])
            #expect(try await output(of: process).split(separator: "\n").sorted() == ["A=1", "B=two words"])
            #expect(try await process.waitForExit() == .status(0))
        }

        @Test("It has no other open file of this process")
        func descriptors() async throws {
            let file = try #require(FileHandle(forReadingAtPath: "/dev/null"))
            defer { try? file.close() }
            let process = try ChildProcess(
                "/bin/sh", ["-c", "test -e /dev/fd/\(file.fileDescriptor) && echo open || echo closed"],
                environment: [:])
            #expect(try await output(of: process) == "closed\n")
        }

        @Test("What is written comes back, also when it is more than a pipe holds")
        func echo() async throws {
            let process = try ChildProcess("/bin/cat", [], environment: [:])
            let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
            async let written: Void = {
                try await process.write(bytes)
                process.closeInput()
            }()
            var read: [UInt8] = []
            while let piece = try await process.read() { read += piece }
            try await written
            #expect(read == bytes)
        }

        @Test("Writing to one that does not read any more is an error, not the end of this process")
        func brokenPipe() async throws {
            let process = try ChildProcess("/bin/sh", ["-c", "exec <&-; echo ready; sleep 3600"], environment: [:])
            _ = try await process.read()
            let error = await #expect(throws: ChildProcessError.self) {
                try await process.write([UInt8](repeating: 0, count: 1 << 20))
            }
            #expect(error?.number == EPIPE)
            await process.end(grace: .milliseconds(10))
        }

        @Test("So it is if the pipe is full by then")
        func fullPipe() async throws {
            // To take one byte makes no room in it.
            let script = "dd bs=1 count=1 of=/dev/null 2> /dev/null; exec <&-; sleep 3600"
            let process = try ChildProcess("/bin/sh", ["-c", script], environment: [:])
            let error = await #expect(throws: ChildProcessError.self) {
                try await process.write([UInt8](repeating: 0, count: 1 << 20))
            }
            #expect(error?.number == EPIPE)
            await process.end(grace: .milliseconds(10))
        }

        @Test("Cancelling ends the waiting for output, and the end is waited for all the same")
        func cancellation() async throws {
            let process = try ChildProcess("/bin/sleep", ["3600"], environment: [:])
            let reading = Task { try await process.read() }
            reading.cancel()
            await #expect(throws: CancellationError.self) { try await reading.value }
            await process.end(grace: .milliseconds(10))
            // A busy machine may not end it before it is killed.
            #expect(process.exit == .signal(SIGTERM) || process.exit == .signal(SIGKILL))
        }

        @Test("One that ignores the signal is killed, and none stays a zombie")
        func killing() async throws {
            let process = try ChildProcess(
                "/bin/sh", ["-c", "trap '' TERM; echo ready; while :; do :; done"],
                environment: [:])
            _ = try await process.read()
            await process.end(grace: .milliseconds(50))
            #expect(process.exit == .signal(SIGKILL))
            #expect(kill(process.id, 0) != 0)
        }

        @Test("A program that does not exist is told from others")
        func missing() {
            let error = #expect(throws: ChildProcessError.self) {
                try ChildProcess("/no/such/program", [], environment: [:])
            }
            #expect(error?.isMissing == true)
            #expect(throws: ChildProcessError.self) { try ChildProcess("/bin/sh\0", [], environment: [:]) }
        }
    }
#endif
