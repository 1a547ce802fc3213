// SPDX-License-Identifier: Apache-2.0

/// One of the events that a server sends in a body of the type `text/event-stream`.
public struct ServerSentEvent: Hashable, Sendable {
    /// Its type; `message` where the server names none.
    public var type: String
    /// Its lines, with line feeds between them.
    public var data: String
    /// The last id that the server has given an event, this one or an earlier one; empty where it has given none.
    public var id: String

    /// Creates an event.
    public init(type: String = "message", data: String, id: String = "") {
        self.type = type
        self.data = data
        self.id = id
    }
}

/// Reads events from bytes, however these are cut
/// ([WHATWG, 9.2.6](https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation)).
public struct ServerSentEventParser: Sendable {
    /// The most bytes that a line may have, its end not counted.
    public var longestLine = 1 << 20
    /// The most bytes that the data of an event may have.
    public var longestEvent = 8 << 20
    /// The id that a client which comes back sends as `Last-Event-ID`; empty for none.
    public private(set) var lastEventID = ""
    /// How long the server wants a client to wait before it comes back, where it has said so.
    public private(set) var retry: Duration?

    private var line: [UInt8] = []
    private var isFirstLine = true
    /// Whether a carriage return has ended the last line, to which a line feed would belong.
    private var isAfterReturn = false
    private var type = ""
    private var data: [UInt8] = []
    private var id = ""

    /// Creates a parser, at the beginning of a stream.
    public init() {}

    /// A parser at the beginning of the next stream, which knows the limits, the last id and the time to wait of this
    /// one. What was incomplete is forgotten.
    public var forNextStream: ServerSentEventParser {
        var next = ServerSentEventParser()
        (next.longestLine, next.longestEvent) = (longestLine, longestEvent)
        (next.lastEventID, next.id, next.retry) = (lastEventID, lastEventID, retry)
        return next
    }

    /// Reads the next bytes. An event that the stream does not end with an empty line is none.
    ///
    /// - Parameters:
    ///   - bytes: what follows what was read before.
    ///   - events: gets the events that end in these bytes, also those before an error.
    /// - Throws: ``HTTPError`` with code `tooLarge` for a line or an event longer than it may be, after which the parser
    ///   is of no use.
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

    /// Takes a whole line in; returns the event that an empty one ends.
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
            // A comment, whose name is empty, or a field of a later version.
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
    /// Reads a body of the type `text/event-stream`.
    ///
    /// - Parameter parser: its limits count, and what it knows of an earlier body: the last id and the time to wait.
    /// - Returns: the events as they come.
    public func events(parser: ServerSentEventParser = ServerSentEventParser()) -> ServerSentEvents {
        ServerSentEvents(body: self, parser: parser.forNextStream)
    }
}

/// The events of a body, as they come.
public struct ServerSentEvents: AsyncSequence, Sendable {
    let body: HTTPBody
    let parser: ServerSentEventParser

    /// Begins to read.
    public func makeAsyncIterator() -> Iterator {
        Iterator(body: body.makeAsyncIterator(), parser: parser)
    }

    /// Reads the events.
    public struct Iterator: AsyncIteratorProtocol {
        var body: HTTPBody.Iterator
        /// What reads them, with the last id and the time to wait that the server has named so far.
        public internal(set) var parser: ServerSentEventParser
        private var waiting: ArraySlice<ServerSentEvent> = []
        private var failure: HTTPError?

        init(body: HTTPBody.Iterator, parser: ServerSentEventParser) {
            self.body = body
            self.parser = parser
        }

        /// The next event; nil where the body ends.
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
