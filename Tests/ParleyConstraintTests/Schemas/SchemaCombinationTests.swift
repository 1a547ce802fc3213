// SPDX-License-Identifier: Apache-2.0

import ParleyConstraint
import ParleyJSON
import Testing

@Suite("Schemas that combine others")
struct SchemaCombinationTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var schema: String
        var good: [JSONValue]
        var bad: [JSONValue]

        init(_ schema: String, good: [JSONValue], bad: [JSONValue]) {
            self.schema = schema
            self.good = good
            self.bad = bad
        }

        var testDescription: String { schema }
    }

    @Test(
        "The program and the validator agree",
        arguments: [
            Case(##"{"not": {"type": "integer"}}"##, good: ["x", 1.5, nil, []], bad: [1, 1.0, -3]),
            Case(
                ##"{"not": {"enum": ["a", 1, true, null]}}"##, good: ["b", 2, 0.5, false, []], bad: ["a", 1, true, nil]),
            Case(##"{"type": "string", "not": {"pattern": "^a"}}"##, good: ["", "ba"], bad: ["a", "ab", 1]),
            Case(##"{"not": {"not": {"type": "null"}}}"##, good: [nil], bad: [1]),
            Case(##"{"oneOf": [{"minimum": 2}, {"type": "integer"}]}"##, good: [1, 2.5, "x"], bad: [3, 1.5]),
            Case(
                ##"{"if": {"properties": {"k": {"const": 1}}, "required": ["k"]}, "then": {"required": ["a"]}, "else": {"required": ["b"]}}"##,
                good: [["k": 1, "a": 0], ["k": 2, "b": 0], ["b": 1]], bad: [["k": 1], ["k": 1, "b": 0], [:], ["k": 2]]),
            Case(
                ##"{"dependentRequired": {"a": ["b"]}}"##, good: [[:], ["b": 1], ["b": 1, "a": 1], 1],
                bad: [["a": 1], ["a": 1, "c": 2]]),
            Case(
                ##"{"dependentSchemas": {"a": {"maxProperties": 1}}}"##, good: [["a": 1], ["b": 1, "c": 2]],
                bad: [["a": 1, "b": 1]]),
            Case(
                ##"{"patternProperties": {"^n": {"type": "integer"}, "s$": {"minimum": 3}}, "additionalProperties": {"type": "string"}}"##,
                good: [["n": 1, "x": "y"], ["ns": 3], ["xs": 5]], bad: [["n": "x"], ["ns": 1], ["x": 1]]),
            Case(
                ##"{"patternProperties": {"^[ab]$": true}, "additionalProperties": false, "minProperties": 2}"##,
                good: [["a": 1, "b": 2], ["b": 1, "a": 2]], bad: [["a": 1], ["a": 1, "c": 1]]),
            Case(
                ##"{"propertyNames": {"minLength": 2, "maxLength": 3}, "properties": {"a": true, "bc": true}}"##,
                good: [[:], ["bc": 1, "xyz": 2]], bad: [["a": 1], ["abcd": 1], ["": 1]]),
            Case(##"{"contains": {"const": 1}}"##, good: [[1], [0, 1, 2], "x"], bad: [[], [2]]),
            Case(
                ##"{"contains": {"type": "integer"}, "minContains": 2, "maxContains": 3, "minItems": 3}"##,
                good: [[1, 2, "x"], [1, 2, 3], ["a", 1, "b", 2]], bad: [[1, 2], [1, "a", "b"], [1, 2, 3, 4]]),
            Case(
                ##"{"prefixItems": [{"type": "string"}, true], "items": false, "contains": {"type": "integer"}}"##,
                good: [["a", 1]], bad: [["a"], ["a", "b"], [], ["a", 1, 2]]),
            Case(
                ##"{"allOf": [{"properties": {"a": true}}], "properties": {"b": true}, "unevaluatedProperties": false}"##,
                good: [[:], ["b": 1, "a": 1]], bad: [["c": 1]]),
            Case(
                ##"{"anyOf": [{"properties": {"a": {"const": 1}}, "required": ["a"]}, {"properties": {"b": {"const": 2}}, "required": ["b"]}], "unevaluatedProperties": false}"##,
                good: [["a": 1], ["b": 2], ["a": 1, "b": 2]], bad: [["a": 1, "b": 3], ["a": 1, "c": 1], [:]]),
            Case(
                ##"{"allOf": [{"prefixItems": [true]}], "unevaluatedItems": {"type": "null"}}"##,
                good: [[], [1], [1, nil]], bad: [[1, 2]]),
            // A property that no value satisfies cannot contribute to the minimum number of properties.
            Case(
                ##"{"properties": {"a": {"const": 4, "type": "string"}}, "minProperties": 1}"##,
                good: [["b": 1], ["ab": 1]], bad: [[:], ["a": 4]]),
            Case(
                ##"{"properties": {"b": true, "c": true, "a": {"const": 4, "type": "string"}}, "minProperties": 2, "additionalProperties": false}"##,
                good: [["b": 1, "c": 1]], bad: [["c": 1], ["b": 1, "a": 4]]),
        ])
    func combinations(_ example: Case) throws {
        let schema = try JSONValue(parsing: example.schema)
        let program = try ConstraintProgram(schema: schema)
        let validator = try SchemaValidator(schema)
        for (values, isValid) in [(example.good, true), (example.bad, false)] {
            for value in values {
                #expect(program.accepts(value) == isValid, "\(value)")
                #expect(try validator.accepts(value) == isValid, "\(value)")
            }
        }
    }

    @Test("An element is not begun if it makes contains impossible to satisfy")
    func containedBehindNothing() throws {
        let program = try ConstraintProgram(schema: [
            "type": "array", "prefixItems": [["type": ["string", "number"]], false], "contains": ["type": "string"],
        ])
        var state = ConstraintState(program)
        #expect(reads(&state, "[".utf8))
        #expect(!reads(&state, "1".utf8))
        #expect(program.accepts(["a"]) && !program.accepts([1]))
    }
}
