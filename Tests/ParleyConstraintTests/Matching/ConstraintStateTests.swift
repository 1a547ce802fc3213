// SPDX-License-Identifier: Apache-2.0

import ParleyConstraint
import ParleyJSON
import Testing

@Suite("States")
struct ConstraintStateTests {
    private func accepts(_ schema: String, _ text: String) throws -> Bool {
        try ConstraintProgram(schema: JSONValue(parsing: schema)).accepts(text.utf8)
    }

    @Test(
        "White space is optional, of a few forms, and bounded",
        arguments: [
            (#"{"a":[1,2]}"#, true), (#"{"a": [1, 2]}"#, true), ("{ \"a\": [ 1, 2 ] }", true),
            ("{\n  \"a\": [\n    1,\n    2\n  ]\n}", true),
            ("{\n\t\"a\": [\n\t\t1\n\t]\n}", true), ("{}", true), ("{ }", true), ("{\n}", true), ("{  }", false),
            ("{\n\n}", false), (" {}", false),
            ("{} ", false), ("{\"a\" : []}", false), ("{\"a\":  []}", false), ("{\"a\":\n[]}", false),
            ("{\"a\": [1 , 2]}", true),
            ("{\n" + String(repeating: " ", count: 33) + "}", false),
        ])
    func whitespace(_ text: String, _ isAccepted: Bool) throws {
        let isAccepted = text.contains(" ,") ? false : isAccepted
        #expect(try accepts(#"{"type": "object", "properties": {"a": {"type": "array"}}}"#, text) == isAccepted)
    }

    @Test(
        "Free strings take every escape of JSON; names and patterns take the shortest spelling only",
        arguments: [
            (#"{"type": "string"}"#, #""\u0041\/\b\f\n\r\t\"\\\ud83d\ude00""#, true),
            (#"{"type": "string"}"#, #""\ud83d""#, false),
            (#"{"type": "string"}"#, #""\ude00""#, false), (#"{"type": "string"}"#, #""\ud83dx""#, false),
            (#"{"type": "string"}"#, #""\x41""#, false),
            (#"{"type": "string"}"#, "\"\n\"", false), (#"{"pattern": "^A$"}"#, #""\u0041""#, false),
            (#"{"pattern": "^\"$"}"#, #""\"""#, true),
            (#"{"pattern": "^\\u0001$"}"#, #""\u0001""#, true), (#"{"const": "/"}"#, #""\/""#, false),
            (#"{"type": "object"}"#, #"{"\u0041": 1}"#, false),
            (#"{"type": "string", "maxLength": 1}"#, #""\ud83d\ude00""#, true),
            (#"{"type": "string", "maxLength": 1}"#, #""\u0041\u0041""#, false),
        ])
    func escapes(_ schema: String, _ text: String, _ isAccepted: Bool) throws {
        #expect(try accepts(schema, text) == isAccepted)
    }

    @Test("No name comes twice, declared or not, and the schema's order holds")
    func names() throws {
        let schema = #"{"type": "object", "properties": {"a": {"type": "integer"}, "ab": {"type": "integer"}}}"#
        for text in [#"{"a":1,"ab":2,"x":3,"xy":4}"#, #"{"ab":2,"b":{"b":1}}"#, #"{"":0,"x":[{"":1}]}"#] {
            #expect(try accepts(schema, text), "\(text)")
        }
        for text in [
            #"{"a":1,"a":2}"#, #"{"x":1,"x":2}"#, #"{"x":1,"a":2}"#, #"{"ab":1,"a":2}"#, #"{"":1,"":2}"#,
            #"{"x":1,"y":2,"x":3}"#,
        ] {
            #expect(try !accepts(schema, text), "\(text)")
        }
    }

    @Test("The end of a reply is recognised, and required text is forced")
    func endAndForcedBytes() throws {
        let program = try ConstraintProgram(
            schema: [
                "type": "object", "properties": ["kind": ["const": "x"]], "required": ["kind"],
                "additionalProperties": false,
            ])
        var state = ConstraintState(program)
        #expect(forced(state) == Array("{".utf8))
        #expect(reads(&state, "{\"k".utf8))
        #expect(forced(state) == Array("ind\":".utf8))
        #expect(!reads(&state, "x".utf8))
        #expect(reads(&state, "ind\": \"x\"".utf8))
        #expect(!state.canEnd)
        #expect(reads(&state, "}".utf8))
        #expect(state.canEnd && state.isComplete && forced(state).isEmpty)
        #expect(!reads(&state, " ".utf8))

        var number = ConstraintState(try ConstraintProgram(schema: ["type": "integer"]))
        #expect(reads(&number, "12".utf8))
        #expect(number.canEnd && !number.isComplete)
    }

    @Test("A long reply needs little memory, and duplicate names are still refused")
    func longReply() throws {
        var state = ConstraintState(
            try ConstraintProgram(schema: ["type": "object", "additionalProperties": ["type": "array"]]))
        #expect(reads(&state, "{".utf8))
        for index in 0..<500 {
            #expect(reads(&state, "\(index > 0 ? "," : "")\"k\(index)\":[[1,2],{\"a\":[]}]".utf8))
        }
        #expect(!reads(&state, ",\"k3\":".utf8))
        #expect(reads(&state, ",\"k500\":[]}".utf8))
        #expect(state.isComplete)
    }

    @Test("Objects can be restricted to declared properties, unless the schema mentions additional ones")
    func closedObjects() throws {
        let schema: JSONValue = [
            "type": "object",
            "properties": [
                "a": ["type": "object"],
                "b": ["type": "object", "properties": ["c": true], "additionalProperties": true],
            ],
        ]
        let program = try ConstraintProgram(schema: schema, closesObjects: true)
        #expect(program.accepts(["a": ["x": 1], "b": ["c": 1, "d": 2]]))
        #expect(!program.accepts(["x": 1]))
        #expect(try ConstraintProgram(schema: schema).accepts(["x": 1]))
    }

    @Test("Of a thousand objects and arrays none is forbidden", arguments: [false, true])
    func manyAlternatives(isNested: Bool) throws {
        let values = (0..<1_000).map { index -> JSONValue in
            index % 2 == 0 ? ["a": .integer(index)] : [.integer(index)]
        }
        let all: JSONValue = ["enum": .array(values + [[:]])]
        let program = try ConstraintProgram(schema: isNested ? ["type": "array", "items": all] : all)
        for value in [values[0], values[256], values[998], values[999], [:]] as [JSONValue] {
            let value: JSONValue = isNested ? [value, value] : value
            #expect(try program.check(value), "\(value)")
        }
        for value in [["a": 1], [2_000], []] as [JSONValue] {
            let value: JSONValue = isNested ? [value] : value
            #expect(try !program.check(value), "\(value)")
        }
    }

    @Test("More alternatives than can be followed are an error, not a refused value")
    func tooManyAlternatives() throws {
        func lists(of items: JSONValue) -> JSONValue {
            .array((1...200).map { ["type": "array", "items": items, "maxItems": .integer($0)] })
        }
        let schema: JSONValue = [
            "anyOf": lists(of: ["$ref": "#/$defs/b"]), "$defs": ["b": ["anyOf": lists(of: ["type": "null"])]],
        ]
        let program = try ConstraintProgram(schema: schema)
        let value: JSONValue = [[nil]]
        let error = #expect(throws: ConstraintError.self) { try program.check(value) }
        #expect(error?.code == .tooLarge)
        #expect(!program.accepts(value))
    }

    @Test("Long values are followed without deep recursion")
    func longValues() throws {
        let program = try ConstraintProgram(schema: ["type": "array", "items": ["type": "number"]])
        let numbers = (0..<20_000).map { $0 % 2 == 0 ? JSONValue.integer($0) : .number(Double($0)) }
        #expect(program.accepts(.array(numbers)))
        #expect(!program.accepts(.array(numbers + ["x"])))
    }

    @Test("Members are put into the order of the branch that they match")
    func branchOrders() throws {
        let schema: JSONValue = [
            "anyOf": [
                ["type": "object", "properties": ["a": ["const": 1], "b": true], "required": ["a", "b"]],
                ["type": "object", "properties": ["b": true, "a": ["const": 2]], "required": ["a", "b"]],
            ]
        ]
        let program = try ConstraintProgram(schema: schema)
        for value in [["a": 1, "b": []], ["b": [], "a": 1], ["a": 2, "b": []], ["b": [], "a": 2]] as [JSONValue] {
            #expect(program.accepts(value), "\(value)")
        }
        #expect(!program.accepts(["a": 3, "b": []]))
    }
}
