// SPDX-License-Identifier: Apache-2.0

import ParleyConstraint
import ParleyJSON
import Testing

@Suite("Lengths of strings with a pattern or format")
struct LengthBoundsTests {
    private func accepts(_ schema: JSONValue, _ text: String) throws -> Bool {
        try ConstraintProgram(schema: schema).accepts(JSONValue.string(text))
    }

    @Test("An address may be as long as generators of schemas say")
    func addresses() throws {
        let schema: JSONValue = ["type": "string", "format": "uri", "minLength": 1, "maxLength": 2_083]
        let start = "https://example.org/"
        #expect(try accepts(schema, start + String(repeating: "a", count: 2_083 - start.utf8.count)))
        #expect(try !accepts(schema, start + String(repeating: "a", count: 2_084 - start.utf8.count)))
        #expect(try accepts(schema, "http://[::1]/"))
    }

    @Test(
        "Texts that can be made longer anywhere have bounds of any size",
        arguments: [
            ("a$", 3, ["a", "bba", "aaa"], ["", "bb", "bbba"]), ("^a", 3, ["ab", "abb"], ["a", "b", "abbb"]),
            ("a$", 999_999_999, ["aa", "bba"], ["ab"]), ("^x+y*$", 4, ["xx", "xyyy"], ["x", "xyx", "xxxxy"]),
        ] as [(String, Int, [String], [String])])
    func openTexts(_ pattern: String, _ longest: Int, _ good: [String], _ bad: [String]) throws {
        let least = good.map(\.utf8.count).min() ?? 0
        let schema: JSONValue = [
            "type": "string", "pattern": .string(pattern), "minLength": .integer(least), "maxLength": .integer(longest),
        ]
        for text in good { #expect(try accepts(schema, text), "\(text)") }
        for text in bad { #expect(try !accepts(schema, text), "\(text)") }
    }

    /// What stands around the only argument of a call between tags.
    private static let (opening, closing) = (">\n<parameter=a>\n", "\n</parameter>\n</function>")

    private func program(ofArgument schema: JSONValue) throws -> ConstraintProgram {
        try ConstraintProgram(.taggedArguments(["type": "object", "properties": ["a": schema], "required": ["a"]]))
    }

    @Test("An address may be as long between tags", arguments: [(2_083, true), (2_084, false)])
    func taggedAddresses(length: Int, isAllowed: Bool) throws {
        let program = try program(ofArgument: [
            "type": "string", "format": "uri", "minLength": 1, "maxLength": 2_083,
        ])
        let start = "https://example.org/"
        let address = start + String(repeating: "a", count: length - start.utf8.count)
        #expect(program.accepts((Self.opening + address + Self.closing).utf8) == isAllowed)
    }

    @Test("No tag is begun where the text before it is too short and the one that it begins too long")
    func tagTooEarly() throws {
        var state = ConstraintState(try program(ofArgument: ["type": "string", "minLength": 2, "maxLength": 2]))
        #expect(reads(&state, (Self.opening + "\n<").utf8))
        #expect(!reads(&state, "/".utf8))
        #expect(reads(&state, Self.closing.utf8))
    }

    @Test("No character is allowed that leaves no room for what must still follow")
    func room() throws {
        var state = ConstraintState(
            try ConstraintProgram(schema: ["type": "string", "pattern": "a$", "maxLength": 3]))
        #expect(reads(&state, "\"bb".utf8))
        #expect(!reads(&state, "b".utf8))
        #expect(!reads(&state, "\"".utf8))
        #expect(reads(&state, "a\"".utf8))
        #expect(state.isComplete)
    }
}
