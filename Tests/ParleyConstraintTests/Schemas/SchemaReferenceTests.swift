// SPDX-License-Identifier: Apache-2.0

import ParleyConstraint
import ParleyJSON
import Testing

@Suite("References of schemas")
struct SchemaReferenceTests {
    private func accepts(_ schema: String, _ value: JSONValue) throws -> Bool {
        try ConstraintProgram(schema: JSONValue(parsing: schema)).accepts(value)
    }

    @Test("A reference below an $id is resolved against it")
    func nested() throws {
        let schema = ##"""
            {"$defs": {"a": {"type": "string"},
                "inner": {"$id": "http://example.com/inner", "$defs": {"a": {"type": "integer"}}, "$ref": "#/$defs/a"}},
             "$ref": "#/$defs/inner"}
            """##
        #expect(try accepts(schema, 1))
        #expect(try !accepts(schema, "x"))
    }

    @Test("$id and anchors inside enum, const and default are ignored")
    func values() throws {
        let schema = ##"""
            {"enum": [{"$id": "x", "$anchor": "y"}, 1], "default": {"$anchor": "y"},
             "allOf": [{"$ref": "#y"}], "$defs": {"b": {"$anchor": "y", "type": "integer"}}}
            """##
        #expect(try accepts(schema, 1))
        #expect(try !accepts(schema, ["$id": "x", "$anchor": "y"]))
    }

    @Test(
        "References by $id are relative to the enclosing schemas",
        arguments: [
            "item", "./item", "/a/item", "http://h/a/item", "../a/item", "item#", "//h/a/item", "#/$defs/i", "item#x",
        ])
    func relative(_ reference: String) throws {
        let schema = ##"""
            {"$id": "http://h/a/root", "items": {"$ref": "\##(reference)"},
             "$defs": {"i": {"$id": "item", "$anchor": "x", "type": "integer"}}}
            """##
        #expect(try accepts(schema, [1]))
        #expect(try !accepts(schema, ["x"]))
    }

    @Test("A dynamic reference with one anchor is a reference")
    func dynamic() throws {
        let schema = ##"{"$dynamicAnchor": "n", "type": "array", "items": {"$dynamicRef": "#n"}}"##
        #expect(try accepts(schema, [[], [[]]]))
        #expect(try !accepts(schema, [1]))
    }
}
