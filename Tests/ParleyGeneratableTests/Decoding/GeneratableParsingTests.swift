// SPDX-License-Identifier: Apache-2.0

import Foundation
import Parley
import Testing

@Suite("Reading a value from a reply")
struct GeneratableParsingTests {
    @Test("An encoded value is decoded to the same value")
    func roundTrip() throws {
        let sample = Everything.sample()
        #expect(try Everything(parsing: sample.encoded()) == sample)
        for value in [RenamedCases.nowhere, .point(x: 1, y: 2)] {
            #expect(try RenamedCases(parsing: value.encoded()) == value)
        }
        #expect(try RenamedCases(parsing: #"{"a point": {"left": 1, "y": 2}}"#) == .point(x: 1, y: 2))
        #expect(try Renamed(parsing: #" {"first name": "x"} "#) == Renamed(first: "x"))
        #expect(try Nothing(parsing: "{}") == Nothing())
        #expect(try [Everything.Level](parsing: "[1, 2]") == [.low, .high])
    }

    @Test("A missing property has its default value, or none")
    func defaults() throws {
        #expect(try Tree(parsing: #"{"name": "x"}"#) == Tree(name: "x", children: []))
        #expect(try Tree(parsing: #"{"name": "x", "children": null}"#).children.isEmpty)
    }

    @Test("A type may decode itself")
    func ownInitializer() throws {
        #expect(try OwnDecoding(parsing: #"{"celsius": 1.6}"#).celsius == 2)
    }

    @Test(
        "Dates are decoded in every form of an RFC 3339 date-time",
        arguments: [
            ("2026-03-01T12:30:00Z", 1_772_368_200), ("2026-03-01t12:30:00z", 1_772_368_200),
            ("2026-03-01T14:30:00+02:00", 1_772_368_200), ("2026-03-01T12:30:00.5Z", 1_772_368_200.5),
            ("2026-03-01T12:30:00.250000000-00:00", 1_772_368_200.25),
            ("2026-02-28T12:31:00-23:59", 1_772_368_200),
        ])
    func dates(text: String, seconds: Double) throws {
        let date = try #require(try [Date](parsing: "[\"\(text)\"]").first)
        #expect(abs(date.timeIntervalSince1970 - seconds) < 0.001)
    }

    @Test(
        "A text that is not a date-time and nothing else is no date",
        arguments: [
            "2026-03-01T12:30:00Z\u{301}", "2026-03-01T12:30:00\u{301}Z", "2026-03-01T12:30:00+02:00\u{301}",
            "2026\u{301}-03-01T12:30:00Z", "2026-03-01T12:30:00Z, at noon", "2026-03-01T12:30:00ZZ",
            "2026-03-01T12:30:00Z+02:00", "2026-03-01T12:30:00+24:00", "2026-03-01T12:30:00+02:60",
            "2026-03-01T12:30:00", "2026-03-01T12:30:00.Z", "2026-03-01", "",
        ])
    func noDates(text: String) {
        #expect(throws: ConversationError.self) { try [Date](parsing: "[\"\(text)\"]") }
    }

    @Test("The error about a missing property names it")
    func missing() throws {
        let error = #expect(throws: ConversationError.self) { try Everything.Inner(parsing: #"{"mood": null}"#) }
        #expect(error?.message.contains("(at .level)") == true)
    }

    @Test("An invalid value is an error with its location, without text of the reply")
    func failure() throws {
        let error = #expect(throws: ConversationError.self) {
            try Everything.Inner(parsing: #"{"level": 1, "mood": "secret"}"#)
        }
        #expect(error?.code == .serializationFailed)
        #expect(error?.message.contains("(at .mood)") == true)
        #expect(error?.message.contains("secret") == false)
        #expect(throws: ConversationError.self) { try Nothing(parsing: "no JSON") }
    }
}
