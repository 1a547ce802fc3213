// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import ParleyHTTP

/// Reads an answer of HTTP/1.1 from its bytes, wherever they are cut. A pure value.
package struct AnswerReader {
    private enum Body {
        /// So many bytes are left.
        case counted(Int)
        /// The line with the size of a chunk comes next.
        case size
        /// So many bytes of a chunk are left, and then the end of its line.
        case chunk(Int)
        /// The lines after the last chunk come next.
        case trailer
        /// The body ends with the connection.
        case open
    }

    /// The status and headers, once they are there.
    package private(set) var head: (status: Int, headers: HTTPHeaders)?
    /// Whether all of the answer is there.
    package private(set) var isWhole = false
    /// Whether the connection may be used again after the answer.
    package private(set) var isKept = true
    private var body = Body.open
    private var rest: [UInt8] = []

    /// Creates a reader of one answer.
    package init() {}

    /// Takes the next bytes.
    ///
    /// - Parameter bytes: the bytes; none where the connection has ended.
    /// - Returns: what they add to the body.
    /// - Throws: `HTTPError`.
    package mutating func add(_ bytes: some Collection<UInt8>) throws -> Data {
        rest += bytes
        if head == nil {
            guard let end = end(of: "\r\n\r\n") else { return Data() }
            try begin(String(decoding: rest[..<end], as: UTF8.self))
            rest.removeFirst(end + 4)
        }
        var data = Data()
        while !isWhole, try step(into: &data) {}
        return data
    }

    private mutating func begin(_ text: String) throws {
        let lines = text.split(separator: "\r\n")
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count > 1, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else { throw Self.unreadable }
        var headers = HTTPHeaders([:])
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { throw Self.unreadable }
            let value = line[line.index(after: colon)...]
            headers[String(line[..<colon])] = value.trimmingCharacters(in: .whitespaces)
        }
        head = (status, headers)
        isKept = headers["connection"]?.lowercased() != "close"
        if headers["transfer-encoding"]?.lowercased() == "chunked" {
            body = .size
        } else if let length = headers["content-length"] {
            guard let count = Int(length), count >= 0 else { throw Self.unreadable }
            body = .counted(count)
        } else {
            (body, isKept) = (.open, false)
        }
    }

    /// Takes what is there of one part of the body; false if more bytes are needed.
    private mutating func step(into data: inout Data) throws -> Bool {
        switch body {
        case .counted(let count):
            let taken = take(count, into: &data)
            body = .counted(count - taken)
            isWhole = taken == count
            return false
        case .open:
            _ = take(rest.count, into: &data)
            return false
        case .size:
            guard let end = end(of: "\r\n") else { return false }
            let digits = rest[..<end].prefix { $0 != UInt8(ascii: ";") }
            guard let size = Int(String(decoding: digits, as: UTF8.self), radix: 16),
                (0...Int(Int32.max)).contains(size)
            else { throw Self.unreadable }
            rest.removeFirst(end + 2)
            body = size == 0 ? .trailer : .chunk(size)
            return true
        case .chunk(let count):
            let left = count - take(count, into: &data)
            body = .chunk(left)
            guard left == 0, rest.count >= 2 else { return false }
            rest.removeFirst(2)
            body = .size
            return true
        case .trailer:
            guard let end = end(of: "\r\n") else { return false }
            rest.removeFirst(end + 2)
            isWhole = end == 0
            return true
        }
    }

    private mutating func take(_ count: Int, into data: inout Data) -> Int {
        let taken = min(count, rest.count)
        data.append(contentsOf: rest[..<taken])
        rest.removeFirst(taken)
        return taken
    }

    private func end(of mark: String) -> Int? { rest.firstRange(of: Array(mark.utf8))?.lowerBound }

    private static let unreadable = HTTPError(.unreachable, "The server's answer is not HTTP.")
}
