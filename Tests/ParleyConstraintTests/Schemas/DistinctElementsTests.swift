// SPDX-License-Identifier: Apache-2.0

import ParleyConstraint
import ParleyJSON
import ParleyRuntime
import ParleyTokenizer
import Testing

@Suite("Elements that must differ")
struct DistinctElementsTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var schema: String
        var valid: [String]
        var invalid: [String]

        var testDescription: String { schema }
    }

    private static let cases = [
        Case(
            schema: #"{"items": {"enum": ["a", "b", 1, [2], {"c": null}]}, "uniqueItems": true}"#,
            valid: [
                "[]", #"["b", "a"]"#, #"[[2], {"c": null}, 1]"#, #"["a", "b", 1, [2], {"c": null}]"#, #""a""#,
                #"[1.0, "a"]"#,
            ],
            invalid: [#"["a", "a"]"#, #"[[2], 1, [2]]"#, #"["c"]"#, #"[{"c": null}, {"c": null}]"#, "[1, 1.0]"]),
        Case(
            schema: #"{"type": "array", "items": {"type": ["boolean", "null"]}, "uniqueItems": true, "minItems": 2}"#,
            valid: ["[true, false]", "[null, true, false]"],
            invalid: ["[]", "[true]", "[true, true]", "[true, false, null, true]"]),
        Case(
            schema: #"{"uniqueItems": true, "items": {"type": "integer", "minimum": 0, "maximum": 4, "multipleOf":4}}"#,
            valid: ["[]", "[0, 4]", "[4]"], invalid: ["[4, 4]", "[2]", "[8]"]),
        Case(
            schema: #"""
                {"type": "array", "prefixItems": [{"enum": ["a", "b"]}, {"enum": ["a", "c"]}, {"const": "c"}],
                "items": false, "uniqueItems": true, "minItems": 3}
                """#,
            valid: [#"["b", "a", "c"]"#],
            invalid: [#"["a", "c", "c"]"#, #"["a", "a", "c"]"#, #"["b", "c", "c"]"#, #"["b", "a"]"#]),
        Case(
            schema: #"{"uniqueItems": true, "maxItems": 1}"#, valid: ["[]", "[[1, 1]]", "1"], invalid: ["[1, 2]"]),
        Case(
            schema: #"{"enum": [[1, 1], [1, 2], [[3], [3]]], "uniqueItems": true}"#, valid: ["[1, 2]"],
            invalid: ["[1, 1]", "[[3], [3]]"]),
        Case(schema: #"{"uniqueItems": false}"#, valid: ["[1, 1]"], invalid: []),
    ]

    @Test("With few possible values, each is written once", arguments: cases)
    func judges(_ known: Case) throws {
        let schema = try JSONValue(parsing: known.schema)
        let program = try ConstraintProgram(schema: schema)
        let validator = try SchemaValidator(schema)
        for (texts, isValid) in [(known.valid, true), (known.invalid, false)] {
            for text in texts {
                let value = try JSONValue(parsing: text)
                #expect(program.accepts(value) == isValid, "\(text)")
                #expect(try validator.accepts(value) == isValid, "\(text)")
            }
        }
    }

    @Test("An element that leaves no value for later elements is not begun")
    func looksAhead() throws {
        let program = try ConstraintProgram(schema: JSONValue(parsing: Self.cases[3].schema))
        var state = ConstraintState(program)
        #expect(reads(&state, "[\"".utf8))
        #expect(forced(state).starts(with: "b\"".utf8))
    }

    @Test("With too few possible values the schema is unsatisfiable")
    func tooFew() throws {
        let error = #expect(throws: ConstraintError.self) {
            try ConstraintProgram(
                schema: ["type": "array", "items": ["enum": ["a", "b"]], "uniqueItems": true, "minItems": 3])
        }
        #expect(error?.code == .unsatisfiable)
    }

    @Test(
        "Elements with too many possible values are refused, naming the keyword",
        arguments: [
            #"{"uniqueItems": true}"#, #"{"items": {"type": "string"}, "uniqueItems": true}"#,
            #"{"items": {"type": "integer", "minimum": 0, "maximum": 64}, "uniqueItems": true}"#,
            #"{"items": {"type": "boolean"}, "uniqueItems": true, "contains": {"const": true}}"#,
            #"{"not": {"uniqueItems": true}}"#,
        ])
    func refusals(_ text: String) throws {
        let schema = try JSONValue(parsing: text)
        let error = #expect(throws: ConstraintError.self) { try ConstraintProgram(schema: schema) }
        #expect(error?.code == .unsupported)
        #expect(error?.keyword == "uniqueItems")
    }

    @Test("A keyword that is not a boolean is invalid")
    func invalid() {
        let error = #expect(throws: ConstraintError.self) { try ConstraintProgram(schema: ["uniqueItems": 1]) }
        #expect(error?.code == .invalidSchema)
    }
}
