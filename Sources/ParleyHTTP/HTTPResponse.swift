// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// An answer whose body is still to come.
public struct HTTPResponse: Sendable {
    /// The status of HTTP.
    public var status: Int
    /// The headers.
    public var headers: HTTPHeaders
    /// The body.
    public var body: HTTPBody

    /// Creates a response.
    public init(status: Int, headers: HTTPHeaders = [:], body: HTTPBody = HTTPBody([])) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// The body of an answer: pieces of any length, in order, which can be read once, within the closure that was handed the
/// response. Later reading throws `CancellationError`, and so does cancelling the task that reads.
///
/// While nobody reads, a few megabytes wait in memory; then the network waits: that of all transfers of the client, and
/// on Linux of the process. So who leaves a long body unread must not wait for another answer meanwhile.
public struct HTTPBody: AsyncSequence, Sendable {
    private let source: @Sendable () async throws -> Data?
    /// The host, for messages.
    let host: String
    private var limit = Int.max

    /// Creates a body from what gives its pieces one after the other, and nil at the end.
    ///
    /// - Parameters:
    ///   - host: where it comes from, for messages.
    ///   - next: called again when its last call has returned.
    public init(from host: String = "The server", next: @escaping @Sendable () async throws -> Data?) {
        self.host = host
        source = next
    }

    /// Creates a body of pieces that are here.
    public init(_ pieces: [Data]) {
        let rest = Pieces(pieces)
        self.init { await rest.next() }
    }

    private actor Pieces {
        private var rest: ArraySlice<Data>

        init(_ pieces: [Data]) {
            rest = pieces[...]
        }

        func next() -> Data? { rest.popFirst() }
    }

    /// The same body, of which more than so many bytes are an error, `tooLarge`.
    public func limited(to bytes: Int) -> HTTPBody {
        var result = self
        result.limit = Swift.min(limit, bytes)
        return result
    }

    /// The whole body.
    ///
    /// - Throws: ``HTTPError``, with code `tooLarge` where it has more than `limit` bytes; `CancellationError`.
    public func collect(upTo limit: Int) async throws -> Data {
        var data = Data()
        for try await piece in limited(to: limit) { data.append(piece) }
        return data
    }

    /// Begins to read.
    public func makeAsyncIterator() -> Iterator {
        Iterator(source: source, host: host, limit: limit, rest: limit)
    }

    /// Reads the pieces.
    public struct Iterator: AsyncIteratorProtocol {
        let source: @Sendable () async throws -> Data?
        let host: String
        let limit: Int
        var rest: Int

        /// The next piece; nil at the end.
        ///
        /// - Throws: ``HTTPError``, or `CancellationError`.
        public mutating func next() async throws -> Data? {
            guard let piece = try await source() else { return nil }
            guard piece.count <= rest else {
                let size = limit < 10 << 10 ? "\(limit) bytes" : "\(limit >> 10) KiB"
                throw HTTPError(.tooLarge, "\(host) sent more than the \(size) that were expected.")
            }
            rest -= piece.count
            return piece
        }
    }
}
