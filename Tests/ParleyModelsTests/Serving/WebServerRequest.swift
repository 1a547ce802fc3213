// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What a client has asked a ``WebServer`` for.
struct WebServerRequest: Sendable {
    /// Its place among all requests to the server, from 0.
    var number: Int
    /// `GET` or `HEAD`.
    var method: String
    /// The path with the query.
    var path: String
    /// The headers, with their names in lowercase.
    var headers: [String: String] = [:]

    init(_ head: String, number: Int) {
        self.number = number
        var lines = head.components(separatedBy: "\r\n")
        let words = lines.removeFirst().split(separator: " ").map(String.init)
        method = words.first ?? ""
        path = words.dropFirst().first ?? ""
        for line in lines {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { continue }
            headers[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
        }
    }

    /// The bytes that are asked for, of a file of some length.
    func range(of count: Int) -> Range<Int>? {
        guard let text = headers["range"], text.hasPrefix("bytes=") else { return nil }
        let ends = text.dropFirst(6).split(separator: "-").compactMap { Int($0) }
        guard ends.count == 2, ends[0] < count else { return nil }
        return ends[0]..<min(ends[1] + 1, count)
    }
}

/// What a ``WebServer`` answers.
struct WebServerReply: Sendable {
    /// What follows the head.
    enum Piece: Sendable {
        case bytes(Data)
        /// Nothing until the gate is opened.
        case wait(Gate)
        /// The end of the connection.
        case hangUp
    }

    /// The status line and the headers, as they are sent.
    var head: String
    var pieces: [Piece]

    /// An answer of any form.
    init(head: String, pieces: [Piece] = []) {
        self.head = head
        self.pieces = pieces
    }

    /// An answer with a status, headers and a body.
    init(_ status: Int, headers: [String: String] = [:], body: Data = Data(), length: Int? = nil) {
        let lines = headers.map { "\($0): \($1)" } + ["Content-Length: \(length ?? body.count)"]
        self.init(
            head: "HTTP/1.1 \(status) Status\r\n\(lines.joined(separator: "\r\n"))\r\n\r\n", pieces: [.bytes(body)])
    }

    /// The same answer, broken off after so many bytes of its body.
    func brokenOff(after count: Int) -> WebServerReply {
        WebServerReply(head: head, pieces: [.bytes(body.prefix(count)), .hangUp])
    }

    /// The same answer, with a pause after so many bytes of its body.
    func pausing(after count: Int, at gate: Gate) -> WebServerReply {
        WebServerReply(head: head, pieces: [.bytes(body.prefix(count)), .wait(gate), .bytes(body.dropFirst(count))])
    }

    private var body: Data {
        pieces.reduce(into: Data()) { if case .bytes(let data) = $1 { $0 += data } }
    }
}

/// Something that waits until it is let through, for ever after.
final class Gate: Sendable {
    private let condition = NSCondition()
    private nonisolated(unsafe) var isOpen = false

    /// Lets everybody through.
    func open() {
        condition.lock()
        isOpen = true
        condition.broadcast()
        condition.unlock()
    }

    /// Waits to be let through.
    func wait() {
        condition.lock()
        while !isOpen { condition.wait() }
        condition.unlock()
    }
}
