// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A web server on the loopback interface with a page for each path, as the hub has them.
final class LoopbackHub: Sendable {
    struct Page: Sendable {
        var status = 200
        var headers: [String: String] = [:]
        var body = Data()
        /// Whether a `HEAD` request gets this page too.
        var answersHead = true
    }

    struct Request: Sendable {
        var method: String
        /// With the query.
        var target: String
        var headers: [String: String]
    }

    let port: UInt16
    private let listener: Int32
    private let pages: @Sendable (UInt16) -> [String: Page]
    private let requests = Mutex<[Request]>([])

    /// - Parameter pages: by target; made when the port is known, so that they may name it.
    init(_ pages: @escaping @Sendable (UInt16) -> [String: Page]) throws {
        self.pages = pages
        #if canImport(Glibc)
            let kind = Int32(SOCK_STREAM.rawValue)
        #else
            let kind = SOCK_STREAM
        #endif
        let listener = socket(AF_INET, kind, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 32) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard bound else { throw POSIXError(.EADDRNOTAVAIL) }
        self.listener = listener
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [weak self] in
            while true {
                let connection = accept(listener, nil, nil)
                if connection < 0 { return }
                self?.serve(connection)
                close(connection)
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    var url: String { "http://127.0.0.1:\(port)" }
    var asked: [Request] { requests.withLock { $0 } }

    private func serve(_ connection: Int32) {
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while !received.contains("\r\n\r\n".utf8) {
            let count = recv(connection, &buffer, buffer.count, 0)
            if count <= 0 { return }
            received += buffer[..<count]
        }
        let lines = String(decoding: received, as: UTF8.self).components(separatedBy: "\r\n")
        let words = lines[0].split(separator: " ").map(String.init)
        guard words.count > 1 else { return }
        let fields = lines.dropFirst().compactMap { line -> (String, String)? in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            return (line[..<colon].lowercased(), value)
        }
        let request = Request(
            method: words[0], target: words[1], headers: Dictionary(fields) { first, _ in first })
        requests.withLock { $0.append(request) }
        send(answer(to: request), over: connection)
    }

    private func answer(to request: Request) -> Data {
        var page = pages(port)[request.target] ?? Page(status: 404, headers: ["X-Error-Code": "RepoNotFound"])
        if request.method == "HEAD", !page.answersHead { page = Page(status: 405) }
        if let range = request.headers["range"], page.status == 200,
            let last = range.split(separator: "-").last.flatMap({ Int($0) })
        {
            page.headers["Content-Range"] = "bytes 0-\(min(last, page.body.count - 1))/\(page.body.count)"
            page.body = page.body.prefix(last + 1)
            page.status = 206
        }
        var head = "HTTP/1.1 \(page.status) Answer\r\nContent-Length: \(page.body.count)\r\nConnection: close\r\n"
        for (name, value) in page.headers { head += "\(name): \(value)\r\n" }
        return Data((head + "\r\n").utf8) + (request.method == "HEAD" ? Data() : page.body)
    }

    private func send(_ data: Data, over connection: Int32) {
        var rest = [UInt8](data)[...]
        while !rest.isEmpty {
            let count = Array(rest.prefix(1 << 16)).withUnsafeBytes { bytes in
                #if canImport(Darwin)
                    write(connection, bytes.baseAddress, bytes.count)
                #else
                    // Whoever has read enough hangs up, which must not end the process.
                    sendBytes(connection, bytes)
                #endif
            }
            if count <= 0 { return }
            rest = rest.dropFirst(count)
        }
    }
}

#if !canImport(Darwin)
    // The member above would shadow the function.
    private func sendBytes(_ connection: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        send(connection, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
    }
#endif
