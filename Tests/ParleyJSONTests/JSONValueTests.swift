// SPDX-License-Identifier: Apache-2.0

import ParleyJSON
import Testing

@Suite struct JSONValueTests {
    @Test("Literals make values that keep the kind of a number")
    func literals() throws {
        let value: JSONValue = ["a": 1, "b": 1.0, "c": [nil, true, "x"]]
        #expect(value["a"] == .integer(1))
        #expect(value["b"] == .number(1))
        #expect(value["c"] == .array([.null, .bool(true), .string("x")]))
        #expect(value["a"] != value["b"])
    }

    @Test("A member literal given twice keeps its first place and its last value")
    func repeatedLiteral() {
        let value: JSONValue = ["a": 1, "b": 2, "a": 3]
        #expect(value.text() == #"{"a":3,"b":2}"#)
    }

    @Test("Access is nil where the value is something else or absent")
    func access() {
        let value: JSONValue = ["n": 2, "list": ["x", 1.5], "none": nil]
        #expect(value["n"]?.integer == 2)
        #expect(value["n"]?.number == 2)
        #expect(value["n"]?.string == nil)
        #expect(value["list"]?[1]?.number == 1.5)
        #expect(value["list"]?[1]?.integer == nil)
        #expect(value["list"]?[2] == nil)
        #expect(value["list"]?[-1] == nil)
        #expect(value["none"]?.isNull == true)
        #expect(value["absent"] == nil)
        #expect(value[0] == nil)
    }

    @Test("Writing through a subscript replaces, adds and removes members in order")
    func mutation() {
        var value: JSONValue = ["a": 1, "b": 2]
        value["a"] = "x"
        value["c"] = [1]
        value["b"] = nil
        #expect(value.text() == #"{"a":"x","c":[1]}"#)
        var number: JSONValue = 3
        number["a"] = 1
        #expect(number == 3)
    }
}
