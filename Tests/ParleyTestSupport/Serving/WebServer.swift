// SPDX-License-Identifier: Apache-2.0

package import Foundation
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A web server on the loopback interface that does what it is told, also what no server should.
///
/// Each connection has a thread. Everything that is asked for and sent is counted. `HEAD /`, with which clients open
/// connections for requests that take long, is answered by itself, and counted apart.
package final class WebServer: Sendable {
    private struct State {
        var requests: [WebServerRequest] = []
        var bodyBytes = 0
        var greetings = 0
        var connections = 0
    }

    /// The sockets that are open. Each is closed by its own thread, and under the lock: its number is another's from then
    /// on, which must not be shut down in its place.
    private final class Sockets: Sendable {
        private let state = Mutex((open: Set<Int32>(), isClosed: false))

        /// Takes a socket; false, and the socket is closed, where the server is gone.
        func add(_ socket: Int32) -> Bool {
            state.withLock { state in
                if state.isClosed { systemClose(socket) } else { state.open.insert(socket) }
                return !state.isClosed
            }
        }

        func close(_ socket: Int32) {
            state.withLock { state in
                state.open.remove(socket)
                systemClose(socket)
            }
        }

        /// Has all threads come to their end; `port` is that of the listener.
        func shutDown(_ port: UInt16) {
            state.withLock { state in
                state.isClosed = true
                for socket in state.open { shutdown(socket, Int32(SHUT_RDWR)) }
            }
            #if canImport(Darwin)
                // There a listener that is shut down goes on waiting; a connection ends that.
                let knock = socket(AF_INET, SOCK_STREAM, 0)
                var address = loopback(port)
                _ = withUnsafePointer(to: &address) {
                    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        connect(knock, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                    }
                }
                systemClose(knock)
            #endif
        }
    }

    package let port: UInt16
    private let sockets = Sockets()
    private let state = Mutex(State())
    private let answer: @Sendable (WebServerRequest) -> WebServerReply

    /// Starts a server on a port of its own.
    ///
    /// - Parameter answer: called for each request, on the thread of its connection.
    /// - Throws: where the port cannot be opened.
    package init(answer: @escaping @Sendable (WebServerRequest) -> WebServerReply) throws {
        // A client that goes away is nothing special.
        signal(SIGPIPE, SIG_IGN)
        #if canImport(Glibc)
            let kind = Int32(SOCK_STREAM.rawValue)
        #else
            let kind = SOCK_STREAM
        #endif
        let listener = socket(AF_INET, kind, 0)
        var address = loopback(0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 64) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard bound else { throw POSIXError(.EADDRNOTAVAIL) }
        self.answer = answer
        port = UInt16(bigEndian: address.sin_port)
        _ = sockets.add(listener)
        Thread.detachNewThread { [weak self, sockets] in
            defer { sockets.close(listener) }
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0, sockets.add(connection) else { return }
                self?.state.withLock { $0.connections += 1 }
                Thread.detachNewThread { [weak self] in
                    defer { sockets.close(connection) }
                    var rest: [UInt8] = []
                    while let text = Self.readHead(connection, &rest), let server = self {
                        if !server.serve(text, connection, &rest) { break }
                    }
                }
            }
        }
    }

    deinit { sockets.shutDown(port) }

    /// The address of a path.
    package func url(_ path: String = "/model.gguf") throws -> URL {
        guard let url = URL(string: "http://127.0.0.1:\(port)\(path)") else { throw URLError(.badURL) }
        return url
    }

    /// The address of the server, without a path.
    package var root: String { "http://127.0.0.1:\(port)" }

    /// What was asked for, in order.
    package var requests: [WebServerRequest] { state.withLock { $0.requests } }

    /// How often a connection was opened with `HEAD /`.
    package var greetings: Int { state.withLock { $0.greetings } }

    /// How many connections were opened.
    package var connections: Int { state.withLock { $0.connections } }

    /// The bytes of bodies that were sent.
    package var bodyBytes: Int { state.withLock { $0.bodyBytes } }

    /// Answers a request; returns whether the connection stays open.
    private func serve(_ head: String, _ connection: Int32, _ rest: inout [UInt8]) -> Bool {
        var read = WebServerRequest(head, number: 0)
        if (read.method, read.path) == ("HEAD", "/") {
            state.withLock { $0.greetings += 1 }
            return Self.send(Array("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".utf8), connection)
        }
        let length = Int(read.headers["content-length"] ?? "") ?? 0
        read.body = Self.readBody(connection, of: length, &rest)
        // No server can do anything with a part of a body.
        guard read.body.count == length else { return false }
        let request = state.withLock { [read] state in
            var request = read
            request.number = state.requests.count
            state.requests.append(request)
            return request
        }
        let reply = answer(request)
        guard Self.send(Array(reply.head.utf8), connection) else { return false }
        if request.method == "HEAD" { return true }
        for piece in reply.pieces {
            switch piece {
            case .bytes(let data):
                guard Self.send(Array(data), connection) else { return false }
                state.withLock { $0.bodyBytes += data.count }
            case .wait(let gate): gate.wait()
            case .hangUp: return false
            }
        }
        return true
    }

    private static func readHead(_ connection: Int32, _ rest: inout [UInt8]) -> String? {
        let end = Array("\r\n\r\n".utf8)
        while true {
            if let range = rest.firstRange(of: end) {
                defer { rest.removeSubrange(..<range.upperBound) }
                return String(decoding: rest[..<range.lowerBound], as: UTF8.self)
            }
            var piece = [UInt8](repeating: 0, count: 4_096)
            let count = recv(connection, &piece, piece.count, 0)
            if count <= 0 { return nil }
            rest += piece.prefix(count)
        }
    }

    private static func readBody(_ connection: Int32, of length: Int, _ rest: inout [UInt8]) -> Data {
        while rest.count < length {
            var piece = [UInt8](repeating: 0, count: 4_096)
            let count = recv(connection, &piece, piece.count, 0)
            if count <= 0 { break }
            rest += piece.prefix(count)
        }
        defer { rest.removeFirst(min(length, rest.count)) }
        return Data(rest.prefix(length))
    }

    private static func send(_ bytes: [UInt8], _ connection: Int32) -> Bool {
        var done = 0
        while done < bytes.count {
            let count = bytes[done...].withUnsafeBytes { systemSend(connection, $0.baseAddress, $0.count) }
            if count <= 0 { return false }
            done += count
        }
        return true
    }
}

// The members above would shadow this.
private func systemSend(_ socket: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    send(socket, bytes, count, 0)
}

private func systemClose(_ socket: Int32) { close(socket) }

/// The address of a port of this machine.
private func loopback(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    return address
}
