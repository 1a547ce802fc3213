// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
import ParleyConversation
import ParleyDialect
import ParleyJSON
import ParleyRuntime
import ParleyTesting
import Testing

@Suite("Hermes dialect")
struct HermesDialectTests {
    @Test(
        "Every form of a call is parsed",
        arguments: [
            #"{"name": "f", "arguments": {"a": 1, "b": null}}"#,
            #"  {"name": "f", "parameters": {"a": 1, "b": null}}  "#,
            #"{"name": "f", "arguments": "{\"a\": 1, \"b\": null}"}"#,
            #"{"type": "function", "function": {"name": "f", "arguments": {"a": 1, "b": null}}}"#,
            #"{"type": "function", "function": "f", "parameters": {"a": 1, "b": null}}"#,
            #"[{"name": "f", "arguments": {"a": 1, "b": null}}]"#,
            #"{'name': 'f', 'arguments': {'a': 1, 'b': None}}"#,
            #"{name: "f", arguments: {"a": 1, "b": null,},}"#,
            "f(a=1, b=None)", "[f(a=1, b=None)]",
        ])
    func forms(text: String) throws {
        let calls = try HermesDialect().parse(text)
        #expect(calls == [ParsedFunctionCall(name: "f", arguments: ["a": 1, "b": .null])])
    }

    @Test("Numbers keep their kinds, and members their order")
    func kinds() throws {
        let calls = try HermesDialect().parse(#"{"name": "f", "arguments": {"z": 1.0, "a": 1, "m": "1"}}"#)
        #expect(calls.first?.arguments == ["z": .number(1), "a": .integer(1), "m": "1"])
        #expect(calls.first.map { Array($0.arguments.keys) } == ["z", "a", "m"])
    }

    @Test("Raw line breaks in strings, and a backslash that closes one, are read")
    func lenient() throws {
        let calls = try HermesDialect().parse(
            "{\"name\": \"f\", \"arguments\": {\"a\": \"x\ny\", \"b\": \"C:\\dir\\\"}}")
        #expect(calls.first?.arguments == ["a": "x\ny", "b": "C:\\dir\\"])
    }

    @Test("Several calls behind each other keep their order", arguments: ["; ", ", ", "\n", ""])
    func several(separator: String) throws {
        let text = [#"{"name": "f"}"#, #"{"name": "g", "parameters": {}}"#].joined(separator: separator)
        #expect(try HermesDialect().parse(text).map(\.name) == ["f", "g"])
    }

    @Test("More calls than anyone would make are refused")
    func many() throws {
        let call = #"{"name": "f"}"#
        for separator in [",", " "] {
            let text = Array(repeating: call, count: 129).joined(separator: separator)
            for text in [text, "[\(text)]"] where text.first != "[" || separator == "," {
                let error = #expect(throws: FunctionCallSyntaxError.self) { try HermesDialect().parse(text) }
                #expect(error?.reason == .tooMany)
            }
        }
    }

    @Test("An incomplete call is not a call: no prefix of two calls gives a call that was not written")
    func prefixes() throws {
        let text = #"{"name": "write", "arguments": {"path": "/a/b", "lines": [1, 2], "x": "y"}}"#
        for length in 0..<text.count {
            #expect(throws: FunctionCallSyntaxError.self) { try HermesDialect().parse(String(text.prefix(length))) }
        }
        #expect(try HermesDialect().parse(text).count == 1)
    }

    @Test("No text traps a parser")
    func robustness() {
        var numbers = SplitMix64(seed: 23)
        let seeds = [
            #"[f(a="x\n", b=[1, {'c': (2, -3.5e2)}], d=None)]"#,
            #"{"name": "f", "arguments": {"a": "\u00e9\\", "b": [true, null, -1.5e-3]}}"#,
        ]
        let noise = Array("\"'\\()[]{}=,:;.-+eEuUx0129 \n_aTFN\u{0}é😀")
        for round in 0..<4_000 {
            var text = Array(seeds[round % 2])
            for _ in 0...(numbers.next() % 4) {
                let index = Int(numbers.next() % UInt64(text.count))
                switch numbers.next() % 3 {
                case 0: text.remove(at: index)
                case 1: text[index] = noise[Int(numbers.next() % UInt64(noise.count))]
                default: text.insert(noise[Int(numbers.next() % UInt64(noise.count))], at: index)
                }
            }
            _ = try? LiquidDialect().parse(String(text))
            _ = try? HermesDialect().parse(String(text))
        }
    }
}
