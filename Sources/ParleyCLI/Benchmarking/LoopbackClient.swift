// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyHTTP
import Synchronization

/// A client of servers on this machine that takes little of the processors that they run on, for measuring them.
///
/// URLSession on Linux needs several times as much for a piece of an answer as a small model for a token. Here a thread
/// reads the socket, and what asked goes on there. A request may be sent twice, where a connection that was used before has
/// ended.
struct LoopbackClient: HTTPClient {
    private let idle = IdleConnections()

    func withResponse<Result: Sendable>(
        to request: HTTPRequest, _ use: (HTTPResponse) async throws -> Result
    ) async throws -> Result {
        let former = idle.take()
        let connection = try former ?? LoopbackConnection(to: request.url)
        return try await withTaskExecutorPreference(connection.thread) {
            var connection = connection
            do {
                try connection.ask(request)
            } catch  where former != nil {
                connection = try LoopbackConnection(to: request.url)
                try connection.ask(request)
            }
            let asked = connection
            guard let head = asked.head else { throw HTTPError(.unreachable, "The server has sent no answer.") }
            let body = HTTPBody { try asked.next() }
            let result = try await use(HTTPResponse(status: head.status, headers: head.headers, body: body))
            if asked.canBeKept { idle.give(asked) }
            return result
        }
    }
}

/// The connections of a client that wait for a request.
private final class IdleConnections: Sendable {
    private let connections = Mutex<[LoopbackConnection]>([])

    func take() -> LoopbackConnection? { connections.withLock { $0.popLast() } }

    func give(_ connection: LoopbackConnection) { connections.withLock { $0.append(connection) } }
}

/// A connection with a thread of its own.
private final class LoopbackConnection: Sendable {
    private struct State {
        var reader = AnswerReader()
        /// What has come of the body with the head.
        var first = Data()
    }

    let thread = ReadingThread()
    private let descriptor: CInt
    private let state = Mutex(State())

    init(to url: URL) throws {
        descriptor = try Self.connected(to: url.host(percentEncoded: false) ?? "", port: url.port ?? 80)
        thread.start()
    }

    deinit {
        close(descriptor)
        thread.stop()
    }

    var head: (status: Int, headers: HTTPHeaders)? { state.withLock { $0.reader.head } }

    var canBeKept: Bool { state.withLock { $0.reader.isWhole && $0.reader.isKept } }

    /// Sends a request and waits for the head of its answer.
    func ask(_ request: HTTPRequest) throws {
        state.withLock { $0 = State() }
        let path = request.url.path(percentEncoded: true)
        let target = (path.isEmpty ? "/" : path) + (request.url.query(percentEncoded: true).map { "?\($0)" } ?? "")
        var lines = ["\(request.method) \(target) HTTP/1.1", "Host: \(request.url.host() ?? "localhost")"]
        lines += request.headers.values.map { "\($0): \($1)" }
        if let body = request.body { lines.append("Content-Length: \(body.count)") }
        try send(Data((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + (request.body ?? Data()))
        while head == nil { try receive() }
    }

    /// The next piece of the body; nil at its end.
    func next() throws -> Data? {
        while true {
            let (piece, isWhole) = state.withLock { state in
                defer { state.first = Data() }
                return (state.first, state.reader.isWhole)
            }
            if !piece.isEmpty { return piece }
            if isWhole { return nil }
            guard try receive() else { return nil }
        }
    }

    private func send(_ data: Data) throws {
        var rest = data[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { throw HTTPError(.unreachable, "The server has ended the connection.") }
            rest = rest.dropFirst(count)
        }
    }

    /// Waits for bytes; false where an answer without a length ends with the connection.
    @discardableResult
    private func receive() throws -> Bool {
        try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16 << 10) { buffer in
            let count = read(descriptor, buffer.baseAddress, buffer.count)
            return try state.withLock { state in
                guard count > 0 else {
                    if state.reader.head != nil, !state.reader.isKept, !state.reader.isWhole { return false }
                    throw HTTPError(.unreachable, "The server has ended the connection, or says nothing.")
                }
                state.first += try state.reader.add(buffer[..<count])
                return true
            }
        }
    }

    private static func connected(to host: String, port: Int) throws -> CInt {
        var hints = addrinfo()
        #if canImport(Darwin)
            hints.ai_socktype = SOCK_STREAM
        #else
            hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        #endif
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, "\(port)", &hints, &list) == 0 else {
            throw HTTPError(.unreachable, "\(host) is not known.")
        }
        defer { freeaddrinfo(list) }
        var next = list
        while let one = next?.pointee {
            let descriptor = socket(one.ai_family, one.ai_socktype, one.ai_protocol)
            if descriptor >= 0, connect(descriptor, one.ai_addr, one.ai_addrlen) == 0 {
                // No reply is waited for longer.
                var (time, on) = (timeval(tv_sec: 600, tv_usec: 0), CInt(1))
                setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
                setsockopt(descriptor, CInt(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<CInt>.size))
                return descriptor
            }
            if descriptor >= 0 { close(descriptor) }
            next = one.ai_next
        }
        throw HTTPError(.unreachable, "\(host) cannot be reached.")
    }
}

/// Runs tasks on a thread of its own, which may block.
private final class ReadingThread: TaskExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var hasEnded = false
    }

    private let state = Mutex(State())
    private let news = DispatchSemaphore(value: 0)

    func start() {
        Thread.detachNewThread { [self] in
            while true {
                news.wait()
                let (job, hasEnded) = state.withLock { ($0.jobs.isEmpty ? nil : $0.jobs.removeFirst(), $0.hasEnded) }
                if let job {
                    job.runSynchronously(on: asUnownedTaskExecutor())
                } else if hasEnded {
                    return
                }
            }
        }
    }

    func stop() {
        state.withLock { $0.hasEnded = true }
        news.signal()
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state.withLock { $0.jobs.append(job) }
        news.signal()
    }
}
