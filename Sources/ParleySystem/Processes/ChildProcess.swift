// SPDX-License-Identifier: Apache-2.0

#if os(macOS) || os(Linux)
    #if canImport(Darwin)
        import Darwin
    #elseif canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// Another program with its standard input and output; what it writes to standard error is discarded.
    ///
    /// It has the environment that it is given and no other open file of this process. It leads a process group, so
    /// that what it starts in turn ends with it. A thread waits for its end, so none stays a zombie. It is ended by
    /// ``end(grace:)`` or, at once, when the last reference goes; if this process is killed, its standard input ends.
    package final class ChildProcess: Sendable {
        /// How a program ended.
        package enum Exit: Hashable, Sendable {
            /// It returned a status.
            case status(Int32)
            /// A signal ended it.
            case signal(Int32)
        }

        /// The identifier, which is that of its process group too.
        package var id: Int32 { watch.id }
        private let input: DescriptorGate
        private let output: DescriptorGate
        private let watch: ProcessWatch

        /// Starts a program, without a shell.
        ///
        /// - Parameters:
        ///   - command: the program: a path, or a name that is looked for in this process's `PATH`.
        ///   - arguments: the arguments, without the program's name.
        ///   - environment: all variables of the program's environment.
        /// - Throws: ``ChildProcessError``.
        package init(
            _ command: String, _ arguments: [String], environment: [String: String]
        ) throws(ChildProcessError) {
            let words = [command] + arguments + environment.flatMap { [$0.key, $0.value] }
            guard !command.isEmpty, !words.contains(where: { $0.utf8.contains(0) }) else {
                throw ChildProcessError(number: EINVAL)
            }
            let forInput = try Self.pipe()
            let forOutput: (reading: Int32, writing: Int32)
            do {
                forOutput = try Self.pipe()
            } catch {
                _ = [forInput.reading, forInput.writing].map { close($0) }
                throw error
            }
            let result = spawnProcess(
                command, [command] + arguments, environment.map { "\($0.key)=\($0.value)" },
                input: forInput.reading, output: forOutput.writing)
            _ = [forInput.reading, forOutput.writing].map { close($0) }
            guard result.failure == 0 else {
                _ = [forInput.writing, forOutput.reading].map { close($0) }
                throw ChildProcessError(number: result.failure)
            }
            input = DescriptorGate(forInput.writing, .writing)
            output = DescriptorGate(forOutput.reading, .reading)
            watch = ProcessWatch(result.id)
            guard watch.start() else { throw ChildProcessError(number: EAGAIN) }
        }

        deinit {
            input.close()
            output.close()
            watch.signal(SIGKILL)
        }

        /// The next bytes of the standard output, at most 64 KiB; nil at its end. One task at a time may read.
        ///
        /// - Throws: `CancellationError`.
        package func read() async throws -> [UInt8]? {
            while true {
                try Task.checkCancellation()
                guard let (bytes, isToWait) = output.use(Self.piece) else { return nil }
                if !isToWait { return bytes.isEmpty ? nil : bytes }
                await output.wait()
            }
        }

        /// Writes bytes to the standard input, and waits while the program does not read. One task at a time may write.
        ///
        /// - Throws: ``ChildProcessError`` if the program has closed its standard input, or `CancellationError`.
        package func write(_ bytes: [UInt8]) async throws {
            var done = 0
            while done < bytes.count {
                try Task.checkCancellation()
                let rest = bytes[done...]
                let result = input.use { descriptor in
                    rest.withUnsafeBytes { writeWithoutSignal(descriptor, $0) }
                }
                guard let (count, failure) = result else { throw ChildProcessError(number: EPIPE) }
                if count > 0 {
                    done += count
                } else if failure == EAGAIN {
                    await input.wait()
                } else if failure != EINTR {
                    throw ChildProcessError(number: failure)
                }
            }
        }

        /// Ends the standard input, which asks most programs to end.
        package func closeInput() { input.close() }

        /// How it has ended; nil while it runs.
        package var exit: Exit? { watch.exit }

        /// Waits for its end.
        ///
        /// - Returns: how it ended.
        /// - Throws: `CancellationError`.
        package func waitForExit() async throws -> Exit { try await watch.wait() }

        /// Ends the program: its input ends; after the grace it is asked by a signal, after another it is killed, and
        /// all that it started with it. Returns when it has ended, also in a task that is cancelled.
        package func end(grace: Duration = .seconds(2)) async {
            input.close()
            for number in [SIGTERM, SIGKILL] {
                if await watch.hasEnded(within: grace) { break }
                watch.signal(number)
            }
            _ = await watch.hasEnded(within: .seconds(5))
            output.close()
        }

        private static func pipe() throws(ChildProcessError) -> (reading: Int32, writing: Int32) {
            var ends: [Int32] = [-1, -1]
            guard openPipe(&ends) == 0 else { throw ChildProcessError(number: errno) }
            return (ends[0], ends[1])
        }

        /// Some bytes, none at the end; or that there are none yet.
        private static func piece(of descriptor: Int32) -> (bytes: [UInt8], isToWait: Bool) {
            var isToWait = false
            let bytes = [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
                var result = systemRead(descriptor, buffer.baseAddress, buffer.count)
                while result < 0, errno == EINTR { result = systemRead(descriptor, buffer.baseAddress, buffer.count) }
                isToWait = result < 0 && errno == EAGAIN
                count = max(result, 0)
            }
            return (bytes, isToWait)
        }
    }

    /// Why a program could not be started or written to.
    package struct ChildProcessError: Error, Sendable, CustomStringConvertible {
        /// The system's number of the error.
        package var number: Int32

        /// Whether there is no such program.
        package var isMissing: Bool { number == ENOENT }

        /// The system's text of the error.
        package var description: String { String(cString: strerror(number)) }
    }

    // The method would shadow this.
    private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
        read(descriptor, bytes, count)
    }
#endif
