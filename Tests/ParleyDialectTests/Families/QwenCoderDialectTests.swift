// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
import ParleyConstraint
import ParleyConversation
import ParleyDialect
import ParleyJSON
import ParleyReplyCases
import ParleyRuntime
import Testing

@Suite("Qwen-Coder dialect")
struct QwenCoderDialectTests {
    private static let functions = [
        Function(
            name: "edit", description: "",
            parameters: JSONSchema([
                "type": "object",
                "properties": [
                    "path": ["type": "string"], "line": ["type": "integer"], "force": ["type": "boolean"],
                    "tags": ["type": "array", "items": ["type": "string"]], "note": ["type": ["string", "null"]],
                    "mode": ["enum": ["fast", "safe"]], "date": ["$ref": "#/$defs/day"],
                    "any": [:],
                ],
                "required": ["path"], "additionalProperties": false,
                "$defs": ["day": ["type": "string", "format": "date"]],
            ])),
        Function(name: "time", description: ""),
    ]
    private static let dialect = QwenCoderDialect().reading(callsOf: functions)

    private static func body(_ arguments: (name: String, text: String)...) -> String {
        let tags = arguments.map { "<parameter=\($0.name)>\n\($0.text)\n</parameter>\n" }
        return "\n<function=edit>\n\(tags.joined())</function>\n"
    }

    @Test(
        "The value of an argument follows from its text and the schema of its parameter",
        arguments: [
            ("path", "5", "5"), ("path", "null", "null"), ("path", "\"a\"", "\"a\""), ("path", "", ""),
            ("path", "\n a\n\n", "\n a\n\n"), ("path", "if a < b {\n  \"</b>\"\n}", "if a < b {\n  \"</b>\"\n}"),
            ("path", "</tool_call>", "</tool_call>"), ("path", "a</parameter>b", "a</parameter>b"),
            ("date", "2024-05-01", "2024-05-01"), ("mode", "fast", "fast"), ("mode", "slow", "slow"),
            ("line", "5", 5), ("line", " 5", 5), ("force", "true", true), ("force", "False", false),
            ("tags", #"["a", "b"]"#, ["a", "b"]), ("tags", "['a']", ["a"]), ("tags", "[]", []),
            ("note", "null", .null), ("note", "None", .null), ("note", "5", "5"), ("note", "text", "text"),
            ("note", #""null""#, "null"), ("any", "5", 5), ("any", "five", "five"), ("any", #"{"a": 1}"#, ["a": 1]),
            ("other", "5", 5), ("other", "five", "five"),
        ] as [(String, String, JSONValue)])
    func values(name: String, text: String, value: JSONValue) throws {
        let calls = try Self.dialect.parse(Self.body((name, text)))
        #expect(calls == [ParsedFunctionCall(name: "edit", arguments: [name: value])])
    }

    @Test(
        "An argument of a type that its parameter does not have is rejected",
        arguments: [
            ("line", "five"), ("line", "5.5"), ("line", #""5""#), ("line", ""), ("line", "null"), ("force", "1"),
            ("force", "yes"), ("tags", "a"), ("tags", #"{"a": 1}"#), ("tags", #"["a"] and more"#), ("tags", #"["a""#),
        ])
    func wrongTypes(name: String, text: String) {
        let error = #expect(throws: FunctionCallSyntaxError.self) {
            try Self.dialect.parse(Self.body(("path", "a"), (name, text)))
        }
        #expect(error?.reason == .invalidArguments)
    }

    @Test("Several functions, tags without line breaks and functions that are not known are read")
    func forms() throws {
        let text = "<function=time></function><function=edit><parameter=path>a</parameter></function>"
        #expect(
            try Self.dialect.parse(text) == [
                ParsedFunctionCall(name: "time", arguments: [:]),
                ParsedFunctionCall(name: "edit", arguments: ["path": "a"]),
            ])
        let other = "<function=other>\n<parameter=a>\n5\n</parameter>\n<parameter=b>\nx\n</parameter>\n</function>"
        #expect(
            try Self.dialect.parse(other) == [ParsedFunctionCall(name: "other", arguments: ["a": 5, "b": "x"])])
        let twice = Self.body(("path", "a"), ("path", "b"))
        #expect(throws: FunctionCallSyntaxError.self) { try Self.dialect.parse(twice) }
    }

    @Test(
        "Text that is not a call is an error",
        arguments: [
            ("", FunctionCallRejection.Reason.empty), ("\n", .empty), ("{}", .malformed), ("<function=", .cut),
            ("<function=>", .missingName), ("<function=f", .cut), ("<function=f>", .cut),
            ("<function=f g>", .malformed),
            ("<function=f><parameter=a", .cut), ("<function=f><parameter=a>b", .cut),
            ("<function=f><parameter=a>b</parameter>", .cut), ("<function=f></function>x", .malformed),
            ("<function=f>x</function>", .malformed),
        ])
    func errors(text: String, reason: FunctionCallRejection.Reason) {
        do throws(FunctionCallSyntaxError) {
            let calls = try Self.dialect.parse(text)
            Issue.record("\(calls)")
        } catch {
            #expect(error.reason == reason, "\(text): \(error)")
        }
    }

    @Test("A call that is cut into pieces anywhere is found, with a closing tag inside a string")
    func streaming() throws {
        let reply = "Let me see.\n<tool_call>\(Self.body(("path", "a</tool_call>\nb"), ("line", "2")))</tool_call>"
        let expected = try Self.dialect.parse(Self.body(("path", "a</tool_call>\nb"), ("line", "2")))
        for size in 1...reply.count {
            var router = ResponseRouter(.init(functionCalls: FunctionCallFormat(Self.dialect)))
            var parts: [ResponsePart] = []
            var rest = reply[...]
            while !rest.isEmpty {
                parts += router.append(String(rest.prefix(size)))
                rest = rest.dropFirst(size)
            }
            parts += router.finish()
            var (text, calls) = ("", [ParsedFunctionCall]())
            for part in parts {
                switch part {
                case .text(let piece): text += piece
                case .functionCalls(let found):
                    calls += found.map { ParsedFunctionCall(name: $0.name, arguments: $0.arguments) }
                default: Issue.record("\(part)")
                }
            }
            #expect(text == "Let me see.\n")
            #expect(calls == expected)
        }
    }

    @Test(
        "A line that begins like a call of a function that is not available is not held back",
        arguments: ["x", "editor", "ed", " x"])
    func lookalike(name: String) {
        var router = ResponseRouter(
            .init(functionCalls: FunctionCallFormat(Self.dialect), functionNames: ["edit", "edit_all"]))
        let text = "So:\n<function=\(name)> begins a call"
        #expect(router.append(text + ".").merged == [.text(text)])
        #expect(router.finish() == [.text(".")])
    }

    @Test("A tag right behind a function's name ends what is no call")
    func tagBehindName() {
        var router = ResponseRouter(.init(functionCalls: FunctionCallFormat(Self.dialect), functionNames: ["edit"]))
        let text = "<function=edit</tool_call>\nMore"
        #expect(router.append(text + ".").merged == [.text(text)])
    }

    @Test("A stop string counts inside what a call begins with, where that is text")
    func stopInside() {
        var router = ResponseRouter(
            .init(functionCalls: FunctionCallFormat(Self.dialect), functionNames: ["edit"], stop: ["=edit>"]))
        #expect(router.append("Write <function=edit> now").merged == [.text("Write <function")])
        #expect(router.hasStopped)
    }

    @Test("Stop strings count that begin with, or before, what a call begins with, where that is text")
    func stopsAcross() {
        let cases = [
            ("Write <function=edit> now", "<function=edit>", "Write "),
            ("Write a<function=edit> now", "a<function=edit>", "Write "),
            ("So:\n<function=x> now", "<function=x>", "So:\n"),
            ("So:\n<function=edit> with more text", "<function=edit> with", "So:\n"),
            ("So:\n<function=edit>", "<function=edit>", "So:\n"),
        ]
        for (reply, stop, text) in cases {
            for pieces in [[reply], reply.map { String($0) }] {
                var router = ResponseRouter(
                    .init(functionCalls: FunctionCallFormat(Self.dialect), functionNames: ["edit"], stop: [stop]))
                let parts = pieces.flatMap { router.append($0) } + router.finish()
                #expect(parts.merged == [.text(text)], "\(reply)")
                #expect(router.stopString == stop)
            }
        }
    }

    @Test(
        "What names an available function and is no call is not held back, and a call may follow it",
        arguments: [
            "<function=edit> is what a call of that function begins with.\n",
            "```\n<function=edit>\n<parameter=path>\na\n</parameter>\n</function>\n```\nis a call of that function, "
                + "which has a path and, in most cases, also a line and a note.\n",
            "<function=edit> is it:\n",
        ])
    func prose(text: String) {
        var router = ResponseRouter(
            .init(functionCalls: FunctionCallFormat(Self.dialect), functionNames: ["edit", "time"]))
        if text.count > 30 {
            #expect(router.append(text + "So:").merged == [.text(text + "So")])
        } else {
            #expect(router.append(text + "So:") == [])
        }
        let parts = router.append("\n<function=time>\n</function>\n</tool_call>") + router.finish()
        #expect(parts.contains(.functionCalls([FunctionCall(id: "call00001", name: "time", arguments: [:])])))
    }

    @Test("A call that may go on is told from one that cannot")
    func cuts() {
        let call = "<function=edit>\n<parameter=path>\na\n</parameter>\n</function>\n<function=time>\n</function>\n"
        for end in call.indices.dropFirst() {
            do throws(FunctionCallSyntaxError) {
                _ = try Self.dialect.parse(String(call[..<end]))
            } catch {
                #expect(error.reason == .cut, "\(call[..<end])")
            }
        }
    }

    @Test("A call whose opening tag is missing is found at the beginning of a line")
    func missingOpening() throws {
        let call = "<function=edit>\n<parameter=path>\na</function>\n</tool_call>\n</parameter>\n</function>"
        let path: JSONValue = "a</function>\n</tool_call>"
        let expected = [FunctionCall(id: "call00001", name: "edit", arguments: ["path": path])]
        let cases: [(String, [ResponsePart])] = [
            ("\(call)\n</tool_call>", [.functionCalls(expected)]),
            ("\(call.replacing("=edit", with: "= edit"))\n</tool_call>", [.functionCalls(expected)]),
            (
                "<think>Hm.</think>\n\n<function=time>\n</function>",
                [
                    .reasoning("Hm."),
                    .functionCalls([FunctionCall(id: "call00001", name: "time", arguments: [:])]),
                ]
            ),
            ("So:\n\(call)\n</tool_call>\nDone", [.text("So:\n"), .functionCalls(expected), .text("Done")]),
            (
                "<tool_call>\n<function=time></function>\n</tool_call>\n<function=time></function>\n</tool_call>",
                [
                    .functionCalls([FunctionCall(id: "call00001", name: "time", arguments: [:])]),
                    .functionCalls([FunctionCall(id: "call00002", name: "time", arguments: [:])]),
                ]
            ),
            // Within a line, of another function, with text behind it, or cut off it is text.
            ("Write \(call)", [.text("Write \(call)")]),
            ("<function=other>\n</function>", [.text("<function=other>\n</function>")]),
            ("```\n\(call)\n```", [.text("```\n\(call)\n```")]),
            ("a\n<function=edit>\n<param", [.text("a\n<function=edit>\n<param")]),
            (
                "a\n<function=x\n<tool_call><function=time></function></tool_call>",
                [
                    .text("a\n<function=x\n"),
                    .functionCalls([FunctionCall(id: "call00001", name: "time", arguments: [:])]),
                ]
            ),
        ]
        for (reply, expected) in cases {
            for pieces in [[reply], reply.map { String($0) }] {
                var router = ResponseRouter(
                    .init(functionCalls: FunctionCallFormat(Self.dialect), functionNames: ["edit", "time"]))
                let parts = pieces.flatMap { router.append($0) } + router.finish()
                #expect(parts.merged == expected)
            }
        }
        var router = ResponseRouter(.init(functionCalls: FunctionCallFormat(Self.dialect)))
        let cut = router.append(call) + router.finish(.length)
        #expect(cut.merged == [.text(call)])
    }

    @Test(
        "Where a schema has alternatives, an argument is of the type that it has in the one that is satisfied",
        arguments: [
            (["kind": "name", "key": "12"], "name", "12"), (["kind": "number", "key": 12], "number", "12"),
            (["kind": "name", "key": "\"12\""], "name", "\"12\""), (["kind": "name", "key": "a"], "name", "a"),
        ] as [(JSONValue, String, String)])
    func alternatives(arguments: JSONValue, kind: String, key: String) throws {
        func alternative(_ kind: String, _ type: String) -> JSONValue {
            [
                "properties": ["kind": ["const": .string(kind)], "key": ["type": .string(type)]],
                "required": ["kind", "key"],
            ]
        }
        for keyword in ["anyOf", "oneOf"] {
            let schema: JSONValue = [
                "type": "object", keyword: [alternative("number", "integer"), alternative("name", "string")],
            ]
            let function = Function(name: "find", description: "", parameters: JSONSchema(schema))
            let dialect = QwenCoderDialect().reading(callsOf: [function])
            let expected = try #require(arguments.object)
            let body =
                "\n<function=find>\n<parameter=kind>\n\(kind)\n</parameter>\n<parameter=key>\n\(key)\n</parameter>\n"
                + "</function>\n"
            #expect(try dialect.parse(body) == [ParsedFunctionCall(name: "find", arguments: expected)])
            let spelled = dialect.spell([FunctionCall(id: "", name: "find", arguments: expected)])
            #expect(spelled == "<tool_call>\(body)</tool_call>")
        }
    }

    private static let program = Result { () throws in
        let grammar = try #require(dialect.rest(calling: functions))
        return try ConstraintProgram(grammar)
    }

    @Test(
        "The grammar allows declared parameters in their order, each with a value of its type",
        arguments: [
            (body(("path", "a")), true), (body(("path", "")), true), (body(("path", "a\n\"b\"\n")), true),
            (body(("path", "a</parameter>b")), true), (body(("path", "<tool_call>")), true),
            (body(("path", "a"), ("line", "12"), ("force", "true")), true),
            (body(("path", "a"), ("tags", #"["a", "b"]"#)), true), (body(("path", "a"), ("note", "null")), true),
            (body(("path", "a"), ("note", "a text")), true), (body(("path", "a"), ("note", #""null""#)), true),
            (body(("path", "a"), ("note", "")), true), (body(("path", "a"), ("any", "a text")), true),
            (body(("path", "a"), ("any", #"{"a": [1]}"#)), true), (body(("path", "a"), ("mode", "safe")), true),
            (body(("path", "a"), ("date", "2024-05-01")), true), ("\n<function=time>\n</function>\n", true),
            (body(), false), (body(("line", "1"), ("path", "a")), false), (body(("path", "a"), ("line", "x")), false),
            (body(("path", "a"), ("line", "")), false), (body(("path", "a"), ("force", "True")), false),
            (body(("path", "a"), ("tags", "a")), false), (body(("path", "a"), ("mode", "slow")), false),
            (body(("path", "a"), ("date", "today")), false), (body(("path", "a"), ("other", "1")), false),
            // It would be read as a null, and these as numbers.
            (body(("path", "a"), ("note", "None")), false), (body(("path", "a"), ("any", " 5")), false),
            (body(("path", "a"), ("note", "5")), false),
            // The argument would end here.
            (body(("path", "a</parameter></function>")), false), (body(("path", "a</parameter> <parameter=b")), false),
            ("\n<function=other>\n</function>\n", false), ("<function=edit></function>", false),
        ])
    func grammar(text: String, isAllowed: Bool) throws {
        let program = try Self.program.get()
        #expect(program.accepts("\(text)</tool_call>".utf8) == isAllowed)
    }

    @Test("Without its opening tag a call follows the same grammar, up to the end of the function")
    func bareGrammar() throws {
        let program = try ConstraintProgram(try #require(Self.dialect.bareGrammar(calling: Self.functions)))
        let call = Self.body(("path", "a"), ("line", "12")).dropFirst("\n<function=".count).dropLast()
        #expect(program.accepts(call.utf8))
        #expect(program.accepts("time>\n</function>".utf8))
        #expect(!program.accepts(call.replacing("12", with: "x").utf8))
        #expect(!program.accepts("other>\n</function>".utf8))
    }

    @Test(
        "Strings between tags have the lengths and patterns of their schemas",
        arguments: [
            (["minLength": 2, "maxLength": 3], ["ab", "\"\"", "é\n日", "</p"], ["", "a", "abcd", "a\n\n\n"]),
            (["maxLength": 0], [""], ["a", "\n"]),
            (["pattern": "^a+$", "maxLength": 2], ["a", "aa"], ["", "aaa", "b"]),
            (["pattern": "</"], ["</", "x</parameter>x"], ["<"]),
            (["minLength": 13], ["</parameter>x"], ["</parameter>"]),
        ] as [(JSONValue, [String], [String])])
    func bounds(keywords: JSONValue, allowed: [String], forbidden: [String]) throws {
        var schema = keywords
        schema["type"] = "string"
        let program = try ConstraintProgram(
            .taggedArguments(["type": "object", "properties": ["a": schema], "required": ["a"]]))
        for (texts, isAllowed) in [(allowed, true), (forbidden, false)] {
            for text in texts {
                let call = ">\n<parameter=a>\n\(text)\n</parameter>\n</function>"
                #expect(program.accepts(call.utf8) == isAllowed, "\(text.debugDescription)")
            }
        }
    }

    @Test("A parameter whose name cannot stand in a tag is left out")
    func oddNames() throws {
        for name in ["a>b", "a\nb", ""] {
            let schema: JSONValue = [
                "type": "object", "properties": [name: ["type": "integer"], "b": ["type": "null"]],
            ]
            let program = try ConstraintProgram(.taggedArguments(schema))
            #expect(program.accepts(">\n<parameter=b>\nnull\n</parameter>\n</function>".utf8))
            #expect(!program.accepts(">\n<parameter=\(name)>\n1\n</parameter>\n</function>".utf8))
            var needed = schema
            needed["required"] = [.string(name)]
            #expect(throws: ConstraintError.self) { try ConstraintProgram(.taggedArguments(needed)) }
        }
    }

    @Test("A length takes no memory where a string has no pattern, however large it is", arguments: [65_536, Int.max])
    func longStrings(length: Int) throws {
        var properties: JSONObject = [:]
        for index in 0..<10 {
            properties["p\(index)"] = ["type": "string", "minLength": 2, "maxLength": .integer(length)]
        }
        let program = try ConstraintProgram(.taggedArguments(["type": "object", "properties": .object(properties)]))
        #expect(program.accepts(">\n<parameter=p0>\n12\n</parameter>\n</function>".utf8))
        #expect(!program.accepts(">\n<parameter=p0>\n1\n</parameter>\n</function>".utf8))
    }

    @Test("What prompts show is read to the same call")
    func spelling() throws {
        let arguments: JSONObject = [
            "path": "5", "line": 5, "force": true, "tags": ["a\"b"], "note": "null", "mode": "fast", "any": "5",
        ]
        let text = Self.dialect.spell([FunctionCall(id: "", name: "edit", arguments: arguments)])
        #expect(
            text.hasPrefix("<tool_call>\n<function=edit>\n<parameter=path>\n5\n</parameter>\n<parameter=line>\n5\n"))
        let body = text.dropFirst("<tool_call>".count).dropLast("</tool_call>".count)
        #expect(try Self.dialect.parse(String(body)) == [ParsedFunctionCall(name: "edit", arguments: arguments)])
        let program = try Self.program.get()
        #expect(program.accepts(text.dropFirst("<tool_call>".count).utf8))
    }

    @Test("Every call that the grammar allows is parsed to arguments that satisfy the schema")
    func everything() throws {
        var random = SplitMix64(seed: 5)
        let calls = try #require(
            try WrittenCalls(FunctionCallFormat(Self.dialect), calling: Self.functions, allowsSeveral: true))
        var count = 0
        for _ in 0..<200 {
            guard let text = try calls.text(&random) else { continue }
            let parsed = try Self.dialect.parse(String(text.dropLast("</tool_call>".count)))
            for call in parsed {
                let function = try #require(Self.functions.first { $0.name == call.name })
                #expect(try SchemaValidator(function.parameters.value).accepts(.object(call.arguments)), "\(text)")
            }
            let spelled = calls.spelled(parsed)
            let body = spelled.dropFirst("<tool_call>".count).dropLast("</tool_call>".count)
            #expect(try Self.dialect.parse(String(body)) == parsed, "\(text)")
            count += 1
        }
        #expect(count > 100)
    }
}
