// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyHTTP
import ParleyTestSupport
import Testing

@Suite("ServerSentEvent")
struct ServerSentEventTests {
    private func events(_ text: String, pieces: [Int] = []) throws -> [ServerSentEvent] {
        var parser = ServerSentEventParser()
        var events: [ServerSentEvent] = []
        var rest = Array(text.utf8)[...]
        for count in pieces {
            try parser.read(rest.prefix(count), into: &events)
            rest = rest.dropFirst(count)
        }
        try parser.read(rest, into: &events)
        return events
    }

    @Test(
        "events are parsed as specified",
        arguments: [
            ("data: a\n\n", [ServerSentEvent(data: "a")]),
            ("data: YHOO\ndata: +2\ndata: 10\n\n", [ServerSentEvent(data: "YHOO\n+2\n10")]),
            // The examples of the specification: comments, ids that stay, and one that ends them.
            (
                ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\ndata: cut",
                [
                    ServerSentEvent(data: "first event", id: "1"), ServerSentEvent(data: "second event"),
                    ServerSentEvent(data: " third event"),
                ]
            ),
            ("data\n\ndata\ndata\n\ndata:", [ServerSentEvent(data: ""), ServerSentEvent(data: "\n")]),
            ("data:test\n\ndata: test\n\n", [ServerSentEvent(data: "test"), ServerSentEvent(data: "test")]),
            (
                "event: add\ndata: 7\n\ndata: 8\n\n",
                [ServerSentEvent(type: "add", data: "7"), ServerSentEvent(data: "8")]
            ),
            ("event: none\n\ndata: x\n\n", [ServerSentEvent(data: "x")]),
            ("id: 5\n\ndata: x\n\n", [ServerSentEvent(data: "x", id: "5")]),
            ("id: 5\u{0}\ndata: x\n\n", [ServerSentEvent(data: "x")]),
            ("data: a\r\n\r\ndata: b\r\rdata: c\n\n", ["a", "b", "c"].map { ServerSentEvent(data: $0) }),
            ("\u{FEFF}data: a\n\n\u{FEFF}data: b\n\n", [ServerSentEvent(data: "a")]),
            ("data: é😀:\ndatas: x\nDATA: x\n\n", [ServerSentEvent(data: "é😀:")]),
            ("", []), ("\n\n\r\r\n", []), ("data: never ended\n", []),
        ])
    func interpretation(text: String, expected: [ServerSentEvent]) throws {
        #expect(try events(text) == expected)
    }

    @Test("bytes that are not UTF-8 are replaced")
    func brokenText() throws {
        var parser = ServerSentEventParser()
        var events: [ServerSentEvent] = []
        try parser.read(Array("data: ".utf8) + [0xFF] + Array("\n\n".utf8), into: &events)
        #expect(events == [ServerSentEvent(data: "\u{FFFD}")])
    }

    @Test("the events do not depend on how the stream is split")
    func cuts() throws {
        let text = "\u{FEFF}: hi\r\nid: 7\r\nevent: é\r\ndata: 😀\r\ndata\r\n\r\nretry: 9\rdata: x\r\rdata: y\n\n"
        let whole = try events(text)
        #expect(whole.map(\.data) == ["😀\n", "x", "y"])
        let count = text.utf8.count
        for first in 0...count {
            for second in stride(from: 0, through: count - first, by: 3) {
                #expect(try events(text, pieces: [first, second]) == whole)
            }
        }
        #expect(try events(text, pieces: Array(repeating: 1, count: count)) == whole)
    }

    @Test("the last id and the retry time are kept for reconnecting")
    func reconnection() throws {
        var parser = ServerSentEventParser()
        var events: [ServerSentEvent] = []
        try parser.read("id: a\nretry: 250\n\nid: b\nretry: 1s\nretry: -1\nretry:\n".utf8, into: &events)
        #expect(parser.lastEventID == "a")
        #expect(parser.retry == .milliseconds(250))
        #expect(events.isEmpty)
    }

    @Test("a line or event that is too long is an error, after the events before it", arguments: [1, 7, 1_000])
    func limits(piece: Int) throws {
        let line = "data: first\n\ndata: " + String(repeating: "x", count: 100)
        let event = "data: first\n\n" + String(repeating: "data: xxxxxxxxxxxx\n", count: 20)
        for text in [line, event] {
            var parser = ServerSentEventParser()
            (parser.longestLine, parser.longestEvent) = (50, 100)
            var events: [ServerSentEvent] = []
            let bytes = Array(text.utf8)
            let error = #expect(throws: HTTPError.self) {
                for start in stride(from: 0, to: bytes.count, by: piece) {
                    try parser.read(bytes[start..<min(start + piece, bytes.count)], into: &events)
                }
            }
            #expect(error?.code == .tooLarge)
            #expect(events == [ServerSentEvent(data: "first")])
        }
    }

    @Test("events of a body are delivered as they are received")
    func body() async throws {
        let gate = ThreadGate()
        defer { gate.open() }
        let text = Data("data: one\n\ndata: two\n\n".utf8)
        let server = try WebServer { _ in
            WebServerReply(200, headers: ["Content-Type": "text/event-stream"], body: text).pausing(after: 12, at: gate)
        }
        defer { withExtendedLifetime(server) {} }
        var request = HTTPRequest(try server.url(), headers: ["Accept": "text/event-stream"])
        request.limits.pace = nil
        let data = try await URLSessionClient().withResponse(to: request) { response in
            var data: [String] = []
            for try await event in response.body.events() {
                data.append(event.data)
                gate.open()
            }
            return data
        }
        #expect(data == ["one", "two"])
    }

    @Test("events before one that is too long are delivered, then the error")
    func longBody() async throws {
        let body = HTTPBody([Data("data: one\n\ndata: long\n\n".utf8)])
        var parser = ServerSentEventParser()
        parser.longestLine = 9
        var events = body.events(parser: parser).makeAsyncIterator()
        #expect(try await events.next()?.data == "one")
        await #expect(throws: HTTPError.self) { _ = try await events.next() }
    }

    @Test("the next body starts a new stream, with the last id and retry time of the previous one")
    func nextBody() async throws {
        let first = HTTPBody([Data("retry: 5\nid: 1\ndata: one\n\nid: 2\nevent: odd\ndata: lo".utf8)])
        var events = first.events().makeAsyncIterator()
        #expect(try await events.next()?.id == "1")
        #expect(try await events.next() == nil)
        let second = HTTPBody([Data("\u{FEFF}data: two\n\n".utf8)])
        var more = second.events(parser: events.parser).makeAsyncIterator()
        #expect(try await more.next() == ServerSentEvent(data: "two", id: "1"))
        #expect(more.parser.retry == .milliseconds(5))
    }
}
