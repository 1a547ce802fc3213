// SPDX-License-Identifier: Apache-2.0

import ParleyConstraint
import ParleyJSON
import Testing

@Suite("Schemas that are refused")
struct SchemaErrorTests {
    struct Refusal: Sendable, CustomTestStringConvertible {
        var schema: String
        var code: ConstraintError.Code
        var keyword: String?
        var path: String

        init(_ schema: String, _ code: ConstraintError.Code, _ keyword: String?, at path: String = "#") {
            self.schema = schema
            self.code = code
            self.keyword = keyword
            self.path = path
        }

        var testDescription: String { schema }
    }

    @Test(
        "The error names the keyword and its place",
        arguments: [
            Refusal(##"{"patternProperties": {"\\p{L}": {}}}"##, .unsupported, "patternProperties"),
            Refusal(##"{"patternProperties": []}"##, .invalidSchema, "patternProperties"),
            Refusal(
                ##"{"properties": {"a/b": {"not": {"multipleOf": 2}}}}"##, .unsupported, "multipleOf",
                at: "#/properties/a~1b/not"),
            Refusal(##"{"not": {"not": {"madeUp": 1}}}"##, .unsupported, "madeUp", at: "#/not/not"),
            Refusal(
                ##"{"not": {"properties": {"a": {"not": {"madeUp": 1}}}}}"##, .unsupported, "madeUp", at: "#/not"),
            Refusal(##"{"not": {"format": "email"}}"##, .unsupported, "format", at: "#/not"),
            Refusal(##"{"not": {"const": [1]}}"##, .unsupported, "const", at: "#/not"),
            Refusal(##"{"$schema": "http://example.com/mine"}"##, .unsupported, "$schema"),
            Refusal(##"{"$id": "a#b"}"##, .invalidSchema, "$id"),
            Refusal(##"{"$defs": {"a": {"$id": "x"}, "b": {"$id": "x"}}}"##, .invalidSchema, "$id", at: "#/$defs/b"),
            Refusal(
                ##"{"$defs": {"a": {"$anchor": "x"}, "b": {"$anchor": "x"}}}"##, .invalidSchema, "$anchor",
                at: "#/$defs/b"),
            Refusal(
                ##"{"$defs": {"a": {"$id": "x", "$anchor": "y"}}, "$ref": "#y"}"##, .invalidSchema, "$ref"),
            Refusal(##"{"items": {"uniqueItems": true}}"##, .unsupported, "uniqueItems", at: "#/items"),
            Refusal(
                ##"{"if": {"uniqueItems": true}, "then": {}}"##, .unsupported, "uniqueItems", at: "#/if"),
            Refusal(##"{"allOf": [{"contains": {}}, {"contains": {}}]}"##, .unsupported, "contains", at: "#/allOf/1"),
            Refusal(##"{"prefixItems": [{}], "contains": {}, "maxContains": 1}"##, .unsupported, "maxContains"),
            Refusal(##"{"contains": {}, "minContains": -1}"##, .invalidSchema, "minContains"),
            Refusal(##"{"dependentRequired": {"a": 1}}"##, .invalidSchema, "dependentRequired"),
            Refusal(##"{"contains": {"type": "null"}, "unevaluatedItems": false}"##, .unsupported, "unevaluatedItems"),
            Refusal(
                ##"{"$ref": "#x", "$defs": {"a": {"$dynamicAnchor": "x", "$dynamicRef": "#x"}}}"##, .invalidSchema,
                "$ref", at: "#/$defs/a"),
            Refusal(##"{"madeUp": 1}"##, .unsupported, "madeUp"),
            Refusal(##"{"nullable": true}"##, .unsupported, "nullable"),
            Refusal(##"{"format": "iri"}"##, .unsupported, "format"),
            Refusal(##"{"multipleOf": 0}"##, .invalidSchema, "multipleOf"),
            Refusal(##"{"multipleOf": 1e-300}"##, .unsupported, "multipleOf"),
            Refusal(##"{"multipleOf": 1e300}"##, .unsupported, "multipleOf"),
            Refusal(
                ##"{"allOf": [{"multipleOf": 0.000000000001}, {"multipleOf": 1000}]}"##, .unsupported, "multipleOf",
                at: "#/allOf/1"),
            Refusal(##"{"items": [{}]}"##, .unsupported, "items"),
            Refusal(##"{"$ref": "other.json"}"##, .unsupported, "$ref"),
            Refusal(##"{"$ref": "#/$defs/a"}"##, .invalidSchema, "$ref"),
            Refusal(##"{"$ref": "#"}"##, .invalidSchema, "$ref"),
            Refusal(
                ##"{"$defs": {"a": {"anyOf": [{"$ref": "#/$defs/a"}]}}, "$ref": "#/$defs/a"}"##, .invalidSchema, "$ref",
                at: "#/$defs/a"),
            Refusal(
                ##"{"anyOf": [{"pattern": "(?=a)"}, {"type": "null"}]}"##, .unsupported, "pattern", at: "#/anyOf/0"),
            Refusal(##"{"pattern": "(a)\\1"}"##, .unsupported, "pattern"),
            Refusal(##"{"pattern": "\\bword"}"##, .unsupported, "pattern"),
            Refusal(##"{"pattern": "\\p{L}"}"##, .unsupported, "pattern"),
            Refusal(##"{"pattern": "a("}"##, .invalidSchema, "pattern"),
            Refusal(##"{"pattern": "[z-a]"}"##, .invalidSchema, "pattern"),
            Refusal(
                ##"{"oneOf": [{"multipleOf": 2}, {"multipleOf": 3}]}"##, .unsupported, "multipleOf", at: "#/oneOf/1"),
            Refusal(##"{"type": "text"}"##, .invalidSchema, "type"),
            Refusal(##"{"type": []}"##, .invalidSchema, "type"),
            Refusal(##"{"enum": []}"##, .invalidSchema, "enum"),
            Refusal(##"{"type": "integer", "minimum": 1e25}"##, .unsupported, "minimum"),
            Refusal(
                ##"{"items": {"type": "number", "exclusiveMaximum": -1e25}}"##, .unsupported, "exclusiveMaximum",
                at: "#/items"),
            Refusal(
                ##"{"allOf": [{"type": "number", "maximum": 1e-28}, {"minimum": 1e-30}]}"##, .unsupported, "minimum",
                at: "#/allOf/1"),
            Refusal(##"{"type": "integer", "minimum": 1e26, "maximum": 1e25}"##, .unsatisfiable, nil),
            Refusal(##"{"type": "integer", "minimum": 0.2, "maximum": 0.8}"##, .unsatisfiable, nil),
            Refusal(##"{"minLength": -1}"##, .invalidSchema, "minLength"),
            Refusal(##"{"maxItems": 1.5}"##, .invalidSchema, "maxItems"),
            Refusal(##"{"minimum": "1"}"##, .invalidSchema, "minimum"),
            Refusal(##"{"required": [1]}"##, .invalidSchema, "required"),
            Refusal(##"{"properties": []}"##, .invalidSchema, "properties"),
            Refusal(##"{"anyOf": []}"##, .invalidSchema, "anyOf"),
            Refusal(##"{"allOf": [1]}"##, .invalidSchema, nil, at: "#/allOf/0"),
            Refusal(##"{"type": "object", "required": ["a"], "additionalProperties": false}"##, .unsatisfiable, nil),
            Refusal(
                ##"{"type": "object", "properties": {"a": {"$ref": "#"}}, "required": ["a"]}"##, .unsatisfiable, nil),
            Refusal(##"{"type": "array", "items": {"$ref": "#"}, "minItems": 1}"##, .unsatisfiable, nil),
            Refusal(
                ##"{"type": "string", "pattern": "^(aaa)*$", "minLength": 4, "maxLength": 5}"##, .unsatisfiable, nil),
        ])
    func refusals(_ refusal: Refusal) throws {
        let schema = try JSONValue(parsing: refusal.schema)
        let error = #expect(throws: ConstraintError.self) { try ConstraintProgram(schema: schema) }
        #expect(error?.code == refusal.code)
        #expect(error?.keyword == refusal.keyword)
        #expect(error?.path == refusal.path)
    }
}
