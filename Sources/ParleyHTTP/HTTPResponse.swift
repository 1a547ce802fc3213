// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A response whose body has yet to be read.
public struct HTTPResponse: Sendable {
    /// The HTTP status code.
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

/// The body of a response: a sequence of pieces of any length.
///
/// It can be read once, within the closure that received the response. Later reading throws `CancellationError`, and so
/// does cancelling the task that reads.
///
/// While nothing is read, up to a few megabytes are held in memory. After that, the network connection waits, for all
/// transfers of the client and, on Linux, of the process. Code that leaves a long body unread must therefore not wait
/// for another response in the meantime.
public struct HTTPBody: AsyncSequence, Sendable {
    private let source: @Sendable () async throws -> Data?
    /// The host, for messages.
    let host: String
    private var limit = Int.max

    /// Creates a body from a function that returns its pieces one after the other, and nil at the end.
    ///
    /// - Parameters:
    ///   - host: the host that sends the body, for messages.
    ///   - next: returns the next piece; it is called again only after its last call has returned.
    public init(from host: String = "The server", next: @escaping @Sendable () async throws -> Data?) {
        self.host = host
        source = next
    }

    /// Creates a body from existing pieces.
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

    /// The same body with a maximum size in bytes, above which reading it throws `tooLarge`.
    public func limited(to bytes: Int) -> HTTPBody {
        var result = self
        result.limit = Swift.min(limit, bytes)
        return result
    }

    /// Reads the whole body.
    ///
    /// - Throws: ``HTTPError``, with code `tooLarge` if it has more than `limit` bytes; `CancellationError`.
    public func collect(upTo limit: Int) async throws -> Data {
        var data = Data()
        for try await piece in limited(to: limit) { data.append(piece) }
        return data
    }

    /// Returns an iterator over the pieces.
    public func makeAsyncIterator() -> Iterator {
        Iterator(source: source, host: host, limit: limit, rest: limit)
    }

    /// Iterates over the pieces of a body.
    public struct Iterator: AsyncIteratorProtocol {
        let source: @Sendable () async throws -> Data?
        let host: String
        let limit: Int
        var rest: Int

        /// Waits for the next piece and returns it; nil at the end.
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
