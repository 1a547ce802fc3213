// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyCalendar
import Testing

@Suite("Content lines")
struct ContentLineTests {
    private func read(_ text: String) throws -> ContentLine {
        let stream = try ContentStream(reading: Array("BEGIN:X\r\n\(text)\r\nEND:X\r\n".utf8))
        let item = try #require(stream.components.first?.items.first)
        guard case .line(let line) = item else { throw CalendarError(.notFound, "no line") }
        return line
    }

    @Test("Name, parameters and value are told apart, quoted values whole")
    func parts() throws {
        let line = try read(#"Attendee;CN="Doe; Jane: a,b";MEMBER="mailto:a@x","mailto:b@x";RSVP=TRUE:mailto:j@x;y"#)
        #expect(line.name == "Attendee")
        #expect(line.key == "ATTENDEE")
        #expect(line.parameter("cn") == "Doe; Jane: a,b")
        #expect(line.parameters.map(\.values) == [["Doe; Jane: a,b"], ["mailto:a@x", "mailto:b@x"], ["TRUE"]])
        #expect(line.value == "mailto:j@x;y")
    }

    @Test("Parameters hold any text by the escapes of RFC 6868")
    func parameterEscapes() throws {
        let text = "a ^ \"quoted\", new\nline"
        let line = ContentLine("X", "v", parameters: [ContentParameter("P", text)])
        #expect(String(decoding: line.bytes, as: UTF8.self) == "X;P=\"a ^^ ^'quoted^', new^nline\":v\r\n")
        #expect(try read(String(decoding: line.bytes.dropLast(2), as: UTF8.self)).parameter("P") == text)
        #expect(try read("X;P=50^x^:v").parameter("P") == "50^x^")
    }

    @Test("Lines are folded at 75 octets, never within a character, and read as they were")
    func folding() throws {
        for length in 60..<90 {
            for character in ["a", "é", "€", "😀"] {
                let value = String(repeating: "x", count: length) + String(repeating: character, count: 80)
                let line = ContentLine("SUMMARY", value)
                let parts = String(decoding: line.bytes, as: UTF8.self).components(separatedBy: "\r\n")
                #expect(parts.allSatisfy { $0.utf8.count <= 75 && !$0.unicodeScalars.contains("\u{FFFD}") })
                #expect(try read(String(decoding: line.bytes.dropLast(2), as: UTF8.self)).value == value)
            }
        }
    }

    @Test("A fold within a character is undone by bytes")
    func foldWithinCharacter() throws {
        let bytes = Array("BEGIN:X\nSUMMARY:caf".utf8) + [0xC3, 0x0A, 0x20, 0xA9] + Array("\nEND:X\n".utf8)
        let stream = try ContentStream(reading: bytes)
        #expect(stream.components[0]["SUMMARY"]?.value == "café")
        #expect(stream.bytes == bytes)
    }

    @Test(
        "Lines that break the grammar mean nothing and stay", arguments: ["", "no colon", ":v", "X;P=\"open:v", "ü:v"])
    func malformed(_ text: String) throws {
        let line = try read(text)
        #expect(line.isMalformed)
        #expect(line.bytes == Array("\(text)\r\n".utf8))
    }

    @Test("A line end in a value cannot begin a line of its own")
    func injection() {
        let line = ContentLine("SUMMARY", "a\r\nEND:VEVENT")
        #expect(String(decoding: line.bytes, as: UTF8.self) == "SUMMARY:a  END:VEVENT\r\n")
    }

    @Test(
        "Text is escaped and read back",
        arguments: [("a,b;c\\d", "a\\,b\\;c\\\\d"), ("one\ntwo\r\nthree", "one\\ntwo\\nthree"), ("\u{7}bell", "bell")])
    func text(_ text: String, _ value: String) {
        #expect(TextValue.write(text) == value)
        #expect(TextValue.write(TextValue.read(value)) == value)
    }

    @Test("A list is cut at commas that are not escaped")
    func list() {
        #expect(TextValue.split("a,b\\,c,\\\\,d").map(TextValue.read) == ["a", "b,c", "\\", "d"])
        #expect(TextValue.read("\\N\\x\\") == "\n\\x\\")
    }
}
