// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
import ParleyConversation
import ParleyDialect
import ParleyJSON
import Testing

@Suite("Liquid dialect")
struct LiquidDialectTests {
    static let literals: [(String, JSONValue)] = [
        (#""x""#, JSONValue.string("x")),
        ("'single'", "single"),
        (#"'it\'s'"#, "it's"),
        (#""a, b) ] } (c""#, "a, b) ] } (c"),
        (#""say \"hi\"""#, "say \"hi\""),
        ("\"raw\nbreak\"", "raw\nbreak"),
        (#""C:\dir\""#, "C:\\dir\\"),
        (#""C:\\dir\\""#, "C:\\dir\\"),
        (#""\u00e9\uD83D\uDE00\x41""#, "é😀A"),
        (#""\uD83D""#, "\u{FFFD}"),
        (#""""three "quotes" here""""#, #"three "quotes" here"#),
        (#""""#, ""),
        ("-5", -5), ("+5", 5), ("-2.5", -2.5), ("1e3", 1000.0), (".5", 0.5), ("1_000", 1000),
        ("99999999999999999999", JSONValue(number: "99999999999999999999") ?? nil),
        ("true", true), ("True", true), ("false", false), ("False", false), ("None", .null), ("null", .null),
        ("[1, [2, 'x'], {}]", [1, [2, "x"], [:]]),
        ("(1, 2)", [1, 2]), ("(1,)", [1]), ("(1)", 1), ("()", []),
        ("{'a': {\"b\": [True, None]}, 'c': -1,}", ["a": ["b": [true, .null]], "c": -1]),
        ("[1, 2,]", [1, 2]),
        ("\n [ 1 ,\t2 ] ", [1, 2]),
    ]

    @Test("The value of an argument is read", arguments: literals)
    func values(text: String, expected: JSONValue) throws {
        let calls = try LiquidDialect().parse("[f(a=\(text))]")
        #expect(calls == [ParsedFunctionCall(name: "f", arguments: ["a": expected])])
    }

    @Test(
        "Every form of a call is parsed",
        arguments: [
            "[f(a=1, b='x')]", "f(a=1, b='x')", "  \n[ f ( a = 1 , b = 'x' ) ]\n", "f(a=1, b='x',)", "[f(a=1, b='x'),]",
            "f(a: 1, b: 'x')", "f({'a': 1, 'b': 'x'})", "f(**{'a': 1, 'b': 'x'})", "f(a=1, **{'b': 'x'})",
            "[f( ** { 'a': 1 }, b='x')]", #"{"name": "f", "arguments": {"a": 1, "b": "x"}}"#,
            #"[{"name": "f", "parameters": {"a": 1, "b": "x"}}]"#,
        ])
    func forms(text: String) throws {
        let calls = try LiquidDialect().parse(text)
        #expect(calls == [ParsedFunctionCall(name: "f", arguments: ["a": 1, "b": "x"])])
    }

    @Test("Names may have dots and parameters may be reserved words")
    func names() throws {
        let calls = try LiquidDialect().parse("[calendar.add_event(from='a', class=\"b\", None=1, True=2)]")
        let arguments: JSONObject = ["from": "a", "class": "b", "None": 1, "True": 2]
        #expect(calls == [ParsedFunctionCall(name: "calendar.add_event", arguments: arguments)])
    }

    @Test("Arguments whose names are not Python names are read from a dictionary")
    func oddNames() throws {
        let calls = try LiquidDialect().parse(#"[2fa(**{"user id": 1, "$filter": "x", "": None})]"#)
        let arguments: JSONObject = ["user id": 1, "$filter": "x", "": .null]
        #expect(calls == [ParsedFunctionCall(name: "2fa", arguments: arguments)])
    }

    @Test("More calls than anyone would make are refused")
    func many() throws {
        let call = "f(), "
        #expect(try LiquidDialect().parse("[" + String(repeating: call, count: 128) + "]").count == 128)
        for text in [String(repeating: call, count: 129), "[" + String(repeating: call, count: 129) + "]"] {
            let error = #expect(throws: FunctionCallSyntaxError.self) { try LiquidDialect().parse(text) }
            #expect(error?.reason == .tooMany)
        }
    }

    @Test(
        "Several calls keep their order", arguments: ["[f(), g(a=1), f()]", "f(), g(a=1), f()", "[f()]\n[g(a=1)]; f()"])
    func several(text: String) throws {
        #expect(try LiquidDialect().parse(text).map(\.name) == ["f", "g", "f"])
    }

    @Test("A backslash may close one string while another escapes its quotes")
    func backslashes() throws {
        let calls = try LiquidDialect().parse(#"f(path="C:\", note="say \"hi\", ok")"#)
        #expect(calls.first?.arguments == ["path": "C:\\", "note": "say \"hi\", ok"])
    }

    @Test(
        "Text that is not a call is an error",
        arguments: [
            ("", FunctionCallRejection.Reason.empty), ("[]", .empty), ("[f(a=1", .cut), ("[f(a='x", .cut), ("[f", .cut),
            ("[f(a=1)", .cut), ("f(a=Tru", .cut), ("f(1)", .invalidArguments), ("f(a=1, a=2)", .invalidArguments),
            ("f(a=1, **{'a': 2})", .invalidArguments), ("f(**[1])", .invalidArguments), ("f(*{})", .malformed),
            ("f(a=b)", .malformed), ("f(a=g(1))", .malformed), ("(a=1)", .missingName), ("f(a=1)]", .missingName),
            ("f(a=1 b=2)", .malformed), ("f(a=0x1F)", .malformed), ("f(a=nan)", .malformed), ("f(a==1)", .malformed),
        ])
    func errors(text: String, reason: FunctionCallRejection.Reason) {
        do throws(FunctionCallSyntaxError) {
            let calls = try LiquidDialect().parse(text)
            Issue.record("\(calls)")
        } catch {
            #expect(error.reason == reason, "\(text): \(error)")
        }
    }

    @Test("The depth of nesting is limited")
    func depth() {
        let text = "f(a=" + String(repeating: "[", count: 100_000)
        #expect(throws: FunctionCallSyntaxError.self) { try LiquidDialect().parse(text) }
    }
}
