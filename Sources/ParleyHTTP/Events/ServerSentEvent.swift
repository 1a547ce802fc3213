// SPDX-License-Identifier: Apache-2.0

/// An event that a server sends in a body of type `text/event-stream`.
public struct ServerSentEvent: Hashable, Sendable {
    /// The type of the event; `message` if the server gives none.
    public var type: String
    /// The data of the event: its lines, separated by line feeds.
    public var data: String
    /// The last event id that the server has sent, with this event or an earlier one; empty if there was none.
    public var id: String

    /// Creates an event.
    public init(type: String = "message", data: String, id: String = "") {
        self.type = type
        self.data = data
        self.id = id
    }
}

/// Parses events from bytes, which may be divided into pieces anywhere
/// ([WHATWG, 9.2.6](https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation)).
public struct ServerSentEventParser: Sendable {
    /// The maximum length of a line in bytes, without its line end.
    public var longestLine = 1 << 20
    /// The maximum length of the data of an event in bytes.
    public var longestEvent = 8 << 20
    /// The id that a client sends as `Last-Event-ID` when it reconnects; empty for none.
    public private(set) var lastEventID = ""
    /// How long the server asks clients to wait before they reconnect; nil if it has not said.
    public private(set) var retry: Duration?

    private var line: [UInt8] = []
    private var isFirstLine = true
    /// Whether the last byte was a carriage return that ended a line, so that a following line feed belongs to it.
    private var isAfterReturn = false
    private var type = ""
    private var data: [UInt8] = []
    private var id = ""

    /// Creates a parser for a new stream.
    public init() {}

    /// A parser for the next stream, with the limits, the last id and the waiting time of this one.
    ///
    /// An incomplete event is discarded.
    public var forNextStream: ServerSentEventParser {
        var next = ServerSentEventParser()
        (next.longestLine, next.longestEvent) = (longestLine, longestEvent)
        (next.lastEventID, next.id, next.retry) = (lastEventID, lastEventID, retry)
        return next
    }

    /// Parses the next bytes. An event that is not ended by an empty line is ignored.
    ///
    /// - Parameters:
    ///   - bytes: the bytes that follow those parsed before.
    ///   - events: receives the events that end in these bytes, including those before an error.
    /// - Throws: ``HTTPError`` with code `tooLarge` for a line or an event above its limit, after which the parser
    ///   cannot be used.
    public mutating func read(_ bytes: some Sequence<UInt8>, into events: inout [ServerSentEvent]) throws(HTTPError) {
        for byte in bytes {
            let isSecondHalf = isAfterReturn && byte == UInt8(ascii: "\n")
            isAfterReturn = byte == UInt8(ascii: "\r")
            if isSecondHalf { continue }
            guard byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") else {
                guard line.count < longestLine else {
                    throw HTTPError(.tooLarge, "The server sent a line of events longer than \(longestLine) bytes.")
                }
                line.append(byte)
                continue
            }
            if isFirstLine, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
            isFirstLine = false
            if let event = try endLine() { events.append(event) }
            line.removeAll(keepingCapacity: true)
        }
    }

    /// Processes a complete line; returns the event if the line is empty and so ends one.
    private mutating func endLine() throws(HTTPError) -> ServerSentEvent? {
        if line.isEmpty { return endEvent() }
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
        var value = line[colon...].dropFirst()
        if value.first == UInt8(ascii: " ") { value.removeFirst() }
        switch String(decoding: line[..<colon], as: UTF8.self) {
        case "event":
            type = String(decoding: value, as: UTF8.self)
        case "data":
            guard data.count + value.count <= longestEvent else {
                throw HTTPError(.tooLarge, "The server sent an event longer than \(longestEvent) bytes.")
            }
            data += value
            data.append(UInt8(ascii: "\n"))
        case "id":
            if !value.contains(0) { id = String(decoding: value, as: UTF8.self) }
        case "retry":
            let digits = String(decoding: value, as: UTF8.self)
            if value.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int64(digits) {
                retry = .milliseconds(number)
            }
        default:
            // A comment, which has an empty name, or a field of a later version of the specification.
            break
        }
        return nil
    }

    private mutating func endEvent() -> ServerSentEvent? {
        defer { (type, data) = ("", []) }
        lastEventID = id
        if data.isEmpty { return nil }
        return ServerSentEvent(
            type: type.isEmpty ? "message" : type, data: String(decoding: data.dropLast(), as: UTF8.self), id: id)
    }
}

extension HTTPBody {
    /// Parses a body of type `text/event-stream`.
    ///
    /// - Parameter parser: a parser whose limits, last id and waiting time are used.
    /// - Returns: the events, as they arrive.
    public func events(parser: ServerSentEventParser = ServerSentEventParser()) -> ServerSentEvents {
        ServerSentEvents(body: self, parser: parser.forNextStream)
    }
}

/// The events of a body, as they arrive.
public struct ServerSentEvents: AsyncSequence, Sendable {
    let body: HTTPBody
    let parser: ServerSentEventParser

    /// Returns an iterator over the events.
    public func makeAsyncIterator() -> Iterator {
        Iterator(body: body.makeAsyncIterator(), parser: parser)
    }

    /// Iterates over the events.
    public struct Iterator: AsyncIteratorProtocol {
        var body: HTTPBody.Iterator
        /// The parser, with the last id and the waiting time that the server has sent so far.
        public internal(set) var parser: ServerSentEventParser
        private var waiting: ArraySlice<ServerSentEvent> = []
        private var failure: HTTPError?

        init(body: HTTPBody.Iterator, parser: ServerSentEventParser) {
            self.body = body
            self.parser = parser
        }

        /// Waits for the next event and returns it; nil at the end of the body.
        ///
        /// - Throws: ``HTTPError``, or `CancellationError`.
        public mutating func next() async throws -> ServerSentEvent? {
            while true {
                if let event = waiting.popFirst() { return event }
                if let failure { throw failure }
                guard let piece = try await body.next() else { return nil }
                var events: [ServerSentEvent] = []
                do { try parser.read(piece, into: &events) } catch { failure = error }
                waiting = events[...]
            }
        }
    }
}
