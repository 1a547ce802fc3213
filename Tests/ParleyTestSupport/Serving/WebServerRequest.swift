// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// What a client has asked a ``WebServer`` for.
package struct WebServerRequest: Sendable {
    /// Its place among all requests to the server, from 0.
    package var number: Int
    /// `GET` or `HEAD`.
    package var method: String
    /// The path with the query.
    package var path: String
    /// The headers, with their names in lowercase.
    package var headers: [String: String] = [:]
    /// What came with it.
    package var body = Data()

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
    package func range(of count: Int) -> Range<Int>? {
        guard let text = headers["range"], text.hasPrefix("bytes=") else { return nil }
        let ends = text.dropFirst(6).split(separator: "-").compactMap { Int($0) }
        guard ends.count == 2, ends[0] < count else { return nil }
        return ends[0]..<min(ends[1] + 1, count)
    }
}

/// What a ``WebServer`` answers.
package struct WebServerReply: Sendable {
    /// What follows the head.
    package enum Piece: Sendable {
        case bytes(Data)
        /// Nothing until the gate is opened.
        case wait(ThreadGate)
        /// The end of the connection.
        case hangUp
    }

    /// The status line and the headers, as they are sent.
    package var head: String
    package var pieces: [Piece]

    /// An answer of any form.
    package init(head: String, pieces: [Piece] = []) {
        self.head = head
        self.pieces = pieces
    }

    /// An answer with a status, headers and a body.
    package init(_ status: Int, headers: [String: String] = [:], body: Data = Data(), length: Int? = nil) {
        let lines = headers.map { "\($0): \($1)" } + ["Content-Length: \(length ?? body.count)"]
        self.init(
            head: "HTTP/1.1 \(status) Status\r\n\(lines.joined(separator: "\r\n"))\r\n\r\n", pieces: [.bytes(body)])
    }

    /// The same answer, broken off after so many bytes of its body.
    package func brokenOff(after count: Int) -> WebServerReply {
        WebServerReply(head: head, pieces: [.bytes(body.prefix(count)), .hangUp])
    }

    /// The same answer, with a pause after so many bytes of its body.
    package func pausing(after count: Int, at gate: ThreadGate) -> WebServerReply {
        WebServerReply(head: head, pieces: [.bytes(body.prefix(count)), .wait(gate), .bytes(body.dropFirst(count))])
    }

    private var body: Data {
        pieces.reduce(into: Data()) { if case .bytes(let data) = $1 { $0 += data } }
    }
}

/// Something that waits until it is let through, for ever after.
package final class ThreadGate: Sendable {
    private let condition = NSCondition()
    private nonisolated(unsafe) var isOpen = false

    /// A gate that is closed.
    package init() {}

    /// Lets everybody through.
    package func open() {
        condition.lock()
        isOpen = true
        condition.broadcast()
        condition.unlock()
    }

    /// Waits to be let through.
    package func wait() {
        condition.lock()
        while !isOpen { condition.wait() }
        condition.unlock()
    }
}
