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

    @Test("Names and strings that only look alike are different")
    func exactTexts() throws {
        let value = try JSONValue(parsing: #"{"\u00e9": "\u00e9", "e\u0301": "e\u0301"}"#)
        #expect(value.object?.count == 2)
        #expect(value["\u{E9}"] == .string("\u{E9}"))
        #expect(value["e\u{301}"] == .string("e\u{301}"))
        #expect(value["e\u{301}"] != .string("\u{E9}"))
        #expect(value != .object(["\u{E9}": "\u{E9}"]))
        #expect(Set([JSONValue.string("\u{E9}"), .string("e\u{301}")]).count == 2)
        #expect(value.text() == "{\"\u{E9}\":\"\u{E9}\",\"e\u{301}\":\"e\u{301}\"}")
    }

    @Test("An object keeps its members' order through merging, filtering and mapping")
    func objects() {
        var object: JSONObject = ["b": 1, "a": 2]
        object.merge(["c": 3, "b": 4]) { first, _ in first }
        #expect(object.map { $0.key } == ["b", "a", "c"] && object.keys == ["b", "a", "c"])
        #expect(object.values == [1, 2, 3])
        #expect(object.merging(["a": 5]) { _, last in last } == ["b": 1, "a": 5, "c": 3])
        #expect(object.filter { $0.value != 1 } == ["a": 2, "c": 3])
        #expect(object.mapValues { .array([$0]) } == ["b": [1], "a": [2], "c": [3]])
        #expect(object.removeValue(forKey: "b") == 1 && object.updateValue(7, forKey: "a") == 2)
        #expect(object == ["a": 7, "c": 3] && object != ["c": 3, "a": 7])
        #expect(object.index(forKey: "c") == 1 && object.elements[1].key == "c" && object["d", default: 9] == 9)
        #expect(JSONObject(uniqueKeysWithValues: [("a", 1), ("a", 2)]) == ["a": 2])
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
