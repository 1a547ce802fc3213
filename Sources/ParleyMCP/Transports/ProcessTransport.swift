// SPDX-License-Identifier: Apache-2.0

#if os(macOS) || os(Linux)
    public import ParleyJSON
    import ParleySystem

    /// A server that is a program of this machine: messages are lines of its standard input and output.
    ///
    /// The program is run without a shell, with the variables that it is given and a few of this process's that
    /// programs need to start. What it writes to standard error is discarded. It ends with the connection, and with it
    /// what it has started.
    public actor ProcessTransport: MCPTransport {
        private let command: String
        private let arguments: [String]
        private let environment: [String: String]
        private let limits: MCPLimits
        private var process: ChildProcess?
        private var receive: (@Sendable (JSONValue) async -> Void)?
        private var isClosed = false
        /// The end of the message that is being written; the next one waits for it.
        private var lastWrite: Task<Void, any Error>?
        private var waitingBytes = 0

        /// Describes a server; ``open(_:)`` starts it.
        ///
        /// - Parameters:
        ///   - command: the program: a path, or a name that is looked for in `PATH`.
        ///   - arguments: its arguments.
        ///   - environment: all variables of its environment; see ``MCPServerSettings/environment(from:)``.
        ///   - limits: the maximum size of a message, and how long the program may take to end by itself.
        public init(
            command: String, arguments: [String] = [], environment: [String: String] = [:],
            limits: MCPLimits = MCPLimits()
        ) {
            (self.command, self.arguments, self.environment) = (command, arguments, environment)
            self.limits = limits
        }

        /// Starts the program.
        ///
        /// - Parameter receive: called with each message.
        /// - Throws: ``MCPError`` with code `unreachable`.
        public func open(_ receive: @escaping @Sendable (JSONValue) async -> Void) async throws {
            guard process == nil, !isClosed else { throw MCPError(.closed, "The connection was used before.") }
            do {
                process = try ChildProcess(command, arguments, environment: environment)
            } catch let error where error.isMissing {
                let remedy = "Install it, or give its whole path in the settings."
                throw MCPError(.unreachable, "There is no program \(command). \(remedy)", cause: error)
            } catch {
                throw MCPError(.unreachable, "The program \(command) cannot be started: \(error).", cause: error)
            }
            self.receive = receive
        }

        /// Reads lines until the program ends its output. Lines that are no JSON are passed on as null.
        ///
        /// - Throws: ``MCPError``, or `CancellationError`.
        public func run() async throws {
            guard let process, let receive else { throw MCPError(.closed, "The connection is not open.") }
            var splitter = LineSplitter(limit: limits.messageBytes)
            while let bytes = try await process.read() {
                for line in try splitter.take(bytes) {
                    let limits = JSONLimits(depth: 64, bytes: limits.messageBytes)
                    await receive((try? JSONValue(parsing: line, limits: limits)) ?? .null)
                }
            }
        }

        /// Writes a message, after those that came before it. Returns when it is written, or the task is cancelled;
        /// a message that has begun is written to its end all the same.
        ///
        /// - Throws: ``MCPError`` with code `closed`, or `CancellationError`.
        public func send(_ message: JSONValue) async throws {
            guard let process, !isClosed else { throw MCPError(.closed, "The connection is not open.") }
            let line = Array((message.text() + "\n").utf8)
            guard line.count <= limits.messageBytes, waitingBytes <= 2 * limits.messageBytes else {
                throw MCPError(.closed, "The server does not read what is sent to it, or it is too large.")
            }
            waitingBytes += line.count
            let before = lastWrite
            let write = Task {
                defer { waitingBytes -= line.count }
                try await before?.value
                do {
                    try await process.write(line)
                } catch {
                    throw MCPError(
                        .closed, "The program \(command) has ended. In a terminal it shows why.", cause: error)
                }
            }
            lastWrite = write
            try await write.value
        }

        /// Does nothing: the streams are the same in all revisions.
        public func agree(on revision: MCPRevision) {}

        /// Ends the program and waits until it has ended.
        public func close() async {
            isClosed = true
            lastWrite?.cancel()
            await process?.end(grace: limits.closing)
        }
    }
#endif
