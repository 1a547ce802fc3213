// SPDX-License-Identifier: Apache-2.0

import ParleyCalendar
import Testing

@Suite("Streams of components")
struct ContentStreamTests {
    static let odd = """
        \u{FEFF}BEGIN:VCALENDAR\r
        VERSION:2.0
        X-UNKNOWN;x=1;"bad:kept\r

        begin:vevent\r
        SUMMARY:one\r
         two\r
        \tthree
        SUMMARY:second\r
        BEGIN:X-OWN\r
        END:X-OWN\r
        DTSTART:20260101T100000Z\r
        END:VEVENT\r
        END:VCALENDAR
        after the end
        """

    @Test("What is read is written with the same bytes: folds, line ends, order, unknown and broken lines")
    func roundTrip() throws {
        let bytes = Array(Self.odd.utf8)
        let stream = try ContentStream(reading: bytes)
        #expect(stream.bytes == bytes)
        let event = try #require(stream.components.first?.components("VEVENT").first)
        #expect(event["SUMMARY"]?.value == "onetwothree")
        #expect(event.components.map(\.name) == ["X-OWN"])
    }

    @Test("A change leaves the bytes of all other lines")
    func change() throws {
        var stream = try ContentStream(reading: Array(Self.odd.utf8))
        guard case .component(var calendar) = stream.items[0], case .component(var event) = calendar.items[3] else {
            Issue.record("The event is elsewhere.")
            return
        }
        event.set("DTSTART", "20260102T100000Z")
        event.set("LOCATION", "here")
        event.set("SUMMARY", "onetwothree")
        calendar.items[3] = .component(event)
        stream.items[0] = .component(calendar)
        let expected = Self.odd
            .replacing("DTSTART:20260101T100000Z\r\n", with: "DTSTART:20260102T100000Z\r\nLOCATION:here\r\n")
            .replacing("SUMMARY:second\r\n", with: "")
        #expect(String(decoding: stream.bytes, as: UTF8.self) == expected)
    }

    @Test("A line that is new ends as the component's lines do")
    func lineEnds() throws {
        var component = try #require(try ContentStream(reading: Array("BEGIN:X\nEND:X\n".utf8)).components.first)
        component.set("A", "1")
        component.add(ContentLine("B", "2", lineEnd: component.lineEnd))
        #expect(component.bytes == Array("BEGIN:X\nA:1\nB:2\nEND:X\n".utf8))
        component.remove("A")
        component.set("B", nil)
        #expect(component.bytes == Array("BEGIN:X\nEND:X\n".utf8))
    }

    @Test(
        "Components that do not match are refused with the line",
        arguments: [
            ("BEGIN:A\n X\nEND:B\n", 3), ("BEGIN:A\nEND:A\nEND:A\n", 3), ("A:1\nBEGIN:A\nBEGIN:B\nEND:B\n", 2),
        ])
    func unbalanced(_ text: String, _ line: Int) {
        let error = #expect(throws: CalendarError.self) { try ContentStream(reading: Array(text.utf8)) }
        #expect(error?.code == .unbalanced)
        #expect(error?.line == line)
    }

    @Test("What is too large or too deep is refused")
    func limits() throws {
        var limits = ContentLimits()
        (limits.bytes, limits.lines, limits.depth, limits.properties) = (200, 8, 2, 3)
        func code(_ text: String) -> CalendarError.Code? {
            #expect(throws: CalendarError.self) { try ContentStream(reading: Array(text.utf8), limits: limits) }?.code
        }
        #expect(code(String(repeating: "A:1\n", count: 51)) == .tooLarge)
        #expect(code(String(repeating: "A:1\n", count: 9)) == .tooLarge)
        #expect(code("BEGIN:A\n" + String(repeating: "A:1\n", count: 4) + "END:A\n") == .tooLarge)
        #expect(code("BEGIN:A\nBEGIN:A\nBEGIN:A\n") == .tooDeep)
        #expect(
            try ContentStream(reading: Array("BEGIN:A\nA:1\nA:1\nA:1\nEND:A\n".utf8), limits: limits).bytes.count == 26)
    }

    @Test("Cut anywhere, a stream is read or refused")
    func truncation() {
        let bytes = Array(Self.odd.utf8)
        for count in 0...bytes.count {
            guard let stream = try? ContentStream(reading: bytes[..<count]) else { continue }
            #expect(stream.bytes == Array(bytes[..<count]))
        }
    }
}
