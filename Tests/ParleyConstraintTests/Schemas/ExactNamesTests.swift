// SPDX-License-Identifier: Apache-2.0

import ParleyConstraint
import ParleyJSON
import Testing

/// One letter in two spellings, which Swift's strings take for the same and JSON does not.
@Suite("Names and texts that only look alike")
struct ExactNamesTests {
    private let whole = "\u{E9}"
    private let combined = "e\u{301}"

    @Test("Properties, required names and patterns are told apart")
    func properties() throws {
        let program = try ConstraintProgram(schema: [
            "type": "object", "properties": .object([whole: ["type": "integer"], combined: ["type": "null"]]),
            "required": [.string(combined)],
            "patternProperties": .object(["^x\(whole)$": true, "^x\(combined)$": false]),
            "additionalProperties": false,
        ])
        #expect(program.accepts(.object([combined: nil])))
        #expect(program.accepts(.object([whole: 1, combined: nil, "x" + whole: 1])))
        #expect(!program.accepts(.object([whole: 1])))
        #expect(!program.accepts(.object([combined: 1])))
        #expect(!program.accepts(.object([combined: nil, "x" + combined: 1])))
    }

    @Test("Constants, enumerations and dependencies are told apart, also by the validator")
    func values() throws {
        let schema: JSONValue = [
            "anyOf": [
                ["const": .string(whole)], ["enum": [.string("x" + combined), 1]],
                ["type": "object", "dependentRequired": .object([whole: [.string(combined)]]), "minProperties": 1],
            ]
        ]
        let program = try ConstraintProgram(schema: schema)
        let validator = try SchemaValidator(schema)
        let values: [(JSONValue, Bool)] = [
            (.string(whole), true), (.string(combined), false), (.string("x" + combined), true),
            (.string("x" + whole), false), (.object([combined: 1]), true), (.object([whole: 1]), false),
            (.object([whole: 1, combined: 2]), true),
        ]
        for (value, isValid) in values {
            #expect(program.accepts(value) == isValid, "\(value)")
            #expect(try validator.accepts(value) == isValid, "\(value)")
        }
    }

    @Test("References lead to the name that they spell")
    func references() throws {
        let definitions: JSONValue = .object([whole: ["const": 1], combined: ["const": 2]])
        for (name, value) in [(whole, 1), (combined, 2)] {
            let program = try ConstraintProgram(schema: ["$defs": definitions, "$ref": .string("#/$defs/\(name)")])
            #expect(program.accepts(.integer(value)) && !program.accepts(.integer(3 - value)))
        }
        let error = #expect(throws: ConstraintError.self) {
            try ConstraintProgram(schema: ["properties": .object(["~" + combined: ["madeUp": 1]])])
        }
        #expect(error?.path?.utf8.elementsEqual("#/properties/~0\(combined)".utf8) == true)
    }

    @Test("A combining mark after a delimiter of a URI does not change the delimiter")
    func delimiters() throws {
        let program = try ConstraintProgram(schema: [
            "$id": "http://x/a/\u{301}b", "$ref": "http://x/a/c", "$defs": ["c": ["$id": "c", "const": 1]],
        ])
        #expect(program.accepts(1) && !program.accepts(2))
    }

    @Test("Grammars of different texts differ")
    func grammars() {
        #expect(Grammar.literal(whole) != Grammar.literal(combined))
        #expect(Grammar.pattern(whole) != Grammar.pattern(combined))
        #expect(Grammar.schema(["const": .string(whole)]) != Grammar.schema(["const": .string(combined)]))
    }
}
