// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyJSON

/// A connection that sends bytes as they are given, for requests that no proper client would make.
final class RawClient: Sendable {
    /// What is read from a connection on which nothing has come for so long that no test waits for it.
    static let endless = "(nothing has come)"

    private let descriptor: Int32

    /// Connects to a port of this machine.
    ///
    /// - Throws: `POSIXError`.
    init(port: Int) throws {
        // A server that goes away is nothing special.
        signal(SIGPIPE, SIG_IGN)
        #if canImport(Glibc)
            let kind = Int32(SOCK_STREAM.rawValue)
        #else
            let kind = SOCK_STREAM
        #endif
        descriptor = socket(AF_INET, kind, 0)
        // Systems let a buffer grow to 32 MiB and more, which would hold all of an answer that is not read.
        var received: Int32 = 1 << 18
        setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &received, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        address.sin_port = UInt16(port).bigEndian
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, length) }
        }
        guard connected == 0 else { throw POSIXError(.ECONNREFUSED) }
        // No test waits for ever, and none fails because the machine is busy.
        var time = timeval(tv_sec: 600, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    /// Sends a text.
    func send(_ text: String) { send(Array(text.utf8)) }

    /// Sends bytes.
    ///
    /// - Returns: whether all were taken.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress?.advanced(by: done), $0.count - done) }
            guard count > 0 else { return false }
            done += count
        }
        return true
    }

    /// Sends more bytes than buffers take, on a thread of its own: they are taken only while the server reads.
    ///
    /// - Returns: whether all were taken.
    func deliver(_ bytes: [UInt8]) async -> Bool {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [self] in continuation.resume(returning: send(bytes)) }
        }
    }

    /// Closes the connection at once, with a reset.
    func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// Says that nothing more will be sent.
    func finish() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Reads on a thread of its own until the text so far is enough or the connection ends. What does not end in time is
    /// told by ``endless``.
    func text(until isEnough: @escaping @Sendable (String) -> Bool = { _ in false }) async -> String {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [self] in
                var bytes: [UInt8] = []
                var buffer = [UInt8](repeating: 0, count: 65_536)
                while true {
                    let count = read(descriptor, &buffer, buffer.count)
                    if count < 0, errno == EAGAIN { bytes += Array(Self.endless.utf8) }
                    guard count > 0 else { break }
                    bytes += buffer[..<count]
                    if isEnough(String(decoding: bytes, as: UTF8.self)) { break }
                }
                continuation.resume(returning: String(decoding: bytes, as: UTF8.self))
            }
        }
    }

    /// Sends a request and reads its answer.
    func ask(_ request: String) async -> RawAnswer { await ask(Array(request.utf8)) }

    /// Sends a request and reads its answer.
    func ask(_ request: [UInt8]) async -> RawAnswer {
        send(request)
        return RawAnswer(await text { RawAnswer($0).isWhole })
    }
}

/// An answer as it came.
struct RawAnswer: Sendable {
    let text: String

    init(_ text: String) {
        self.text = text
    }

    private var parts: (head: String, body: String) {
        guard let end = text.range(of: "\r\n\r\n") else { return (text, "") }
        return (String(text[..<end.lowerBound]), String(text[end.upperBound...]))
    }

    /// The status; 0 if there was no answer.
    var status: Int { parts.head.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0 }

    /// The value of a field of the head.
    subscript(name: String) -> String? {
        let line = parts.head.split(separator: "\r\n").first { $0.lowercased().hasPrefix(name.lowercased() + ":") }
        return line.map { String($0.dropFirst(name.count + 1).drop { $0 == " " }) }
    }

    /// The body, without the marks of its chunks.
    var body: String {
        guard self["transfer-encoding"] == "chunked" else { return parts.body }
        var rest = parts.body[...]
        var body = ""
        while let line = rest.range(of: "\r\n"), let size = Int(rest[..<line.lowerBound], radix: 16), size > 0 {
            let bytes = rest[line.upperBound...].utf8
            body += String(decoding: bytes.prefix(size), as: UTF8.self)
            rest = String(decoding: bytes.dropFirst(size + 2), as: UTF8.self)[...]
        }
        return body
    }

    /// The body as JSON; null if it is none.
    var json: JSONValue { (try? JSONValue(parsing: body)) ?? .null }

    /// The data of the events in the body.
    var events: [String] {
        body.components(separatedBy: "\n").compactMap { line in
            line.hasPrefix("data: ") ? String(line.dropFirst(6)) : nil
        }
    }

    /// The names of the events in the body, for forms that name them.
    var eventNames: [String] {
        body.components(separatedBy: "\n").compactMap { line in
            line.hasPrefix("event: ") ? String(line.dropFirst(7)) : nil
        }
    }

    /// Whether all of the answer is there.
    var isWhole: Bool {
        guard text.contains("\r\n\r\n") else { return false }
        if let length = self["content-length"].flatMap({ Int($0) }) { return parts.body.utf8.count >= length }
        return self["transfer-encoding"] != "chunked" || parts.body.hasSuffix("0\r\n\r\n")
    }
}
