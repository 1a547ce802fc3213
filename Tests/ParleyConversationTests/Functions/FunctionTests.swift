// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
import ParleyConversation
import ParleyJSON
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite("Functions and schemas")
struct FunctionTests {
    let weather = Function(
        name: "get_weather", description: "The weather",
        parameters: [
            FunctionParameter(name: "city", type: .string(), description: "The city's name"),
            FunctionParameter(name: "unit", type: .string(oneOf: ["c", "f"]), optional: true),
        ])

    @Test("A function is written as templates expect it")
    func json() {
        #expect(
            weather.json.text() == """
                {"type":"function","function":{"name":"get_weather","description":"The weather","parameters":\
                {"type":"object","properties":{"city":{"type":"string","description":"The city's name"},\
                "unit":{"type":"string","enum":["c","f"]}},"required":["city"],"additionalProperties":false}}}
                """)
    }

    @Test("The builders make the expected schemas")
    func builders() {
        let schema: JSONSchema = .object(
            [
                "a": .integer(minimum: 1, maximum: 5), "b": .array(of: .number(), minItems: 2),
                "c": .anyOf([.boolean(description: "yes"), .null]),
            ], required: ["a"])
        #expect(
            schema.text == """
                {"type":"object","properties":{"a":{"type":"integer","minimum":1,"maximum":5},\
                "b":{"type":"array","items":{"type":"number"},"minItems":2},\
                "c":{"anyOf":[{"type":"boolean","description":"yes"},{"type":"null"}]}},\
                "required":["a"],"additionalProperties":false}
                """)
    }

    @Test("A schema is parsed from its text, and invalid text is refused")
    func parsing() throws {
        #expect(try JSONSchema(parsing: #"{"type": "boolean"}"#) == .boolean())
        #expect(throws: ConversationError.self) { try JSONSchema(parsing: "[1]") }
        #expect(throws: ConversationError.self) { try JSONSchema(parsing: "{") }
    }

    @Test("A function is equal after encoding and decoding")
    func codable() throws {
        let function = Function(name: "f", description: "d", parameters: .object(["a": .string()]))
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let copy = try JSONDecoder().decode(Function.self, from: try encoder.encode(function))
        #expect(copy.name == "f")
        #expect(try encoder.encode(copy) == encoder.encode(function))
    }

    @Test("Arguments are decoded as a type of the app, or the error says why not")
    func arguments() throws {
        struct Place: Decodable, Equatable {
            var city: String
            var days: Int?
        }
        let call = FunctionCall(id: "1", name: "f", arguments: ["city": "Bern", "days": 2])
        #expect(try call.decodeArguments() == Place(city: "Bern", days: 2))
        #expect(call["city"]?.string == "Bern")
        let error = try #require(throws: ConversationError.self) {
            try FunctionCall(id: "1", name: "f", arguments: ["city": 3]).decodeArguments(as: Place.self)
        }
        #expect(error.code == .functionCallParsingFailed)
        #expect(error.message.contains("(at .city)"))
    }

    @Test("Dates in arguments have the form of RFC 3339, and data is in base64")
    func dates() throws {
        struct Appointment: Decodable, Equatable {
            var start: Date
            var note: Data
        }
        let call = FunctionCall(
            id: "1", name: "f", arguments: ["start": "1970-01-01T01:00:01+01:00", "note": "AQI="])
        let expected = Appointment(start: Date(timeIntervalSince1970: 1), note: Data([1, 2]))
        #expect(try call.decodeArguments() == expected)
        #expect(throws: ConversationError.self) {
            try FunctionCall(id: "1", name: "f", arguments: ["start": 1, "note": ""]).decodeArguments(
                as: Appointment.self)
        }
    }
}
