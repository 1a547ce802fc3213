// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
import ParleyConstraint
import ParleyConversation
import ParleyDialect
import ParleyJSON
import Testing

@Suite("Gemma dialect")
struct GemmaDialectTests {
    @Test(
        "Values of every kind are read",
        arguments: [
            ("{}", [:]), ("{a:<|\"|>x<|\"|>}", ["a": "x"]),
            ("{a:<|\"|><|\"|>,b:-7,c:1.5}", ["a": "", "b": -7, "c": 1.5]),
            ("{a:true,b:false,c:null}", ["a": true, "b": false, "c": .null]),
            ("{a:[<|\"|>b, c<|\"|>,<|\"|>}<|\"|>],d:[]}", ["a": ["b, c", "}"], "d": []]),
            ("{a:{b:<|\"|>\"c\"\n\\n<|\"|>,d:{}}}", ["a": ["b": "\"c\"\n\\n", "d": [:]]]),
            ("{ a: 1,\n  \"b c\": \"d\" }", ["a": 1, "b c": "d"]), ("{<|\"|>a<|\"|>:1}", ["a": 1]),
        ] as [(String, JSONValue)])
    func values(text: String, arguments: JSONValue) throws {
        let expected = ParsedFunctionCall(name: "get_time", arguments: try #require(arguments.object))
        #expect(try GemmaDialect().parse("call:get_time\(text)") == [expected])
    }

    @Test(
        "Text that is not a call is an error",
        arguments: [
            ("", FunctionCallRejection.Reason.empty), ("get_time{}", .malformed), ("call:", .cut),
            ("call:{}", .missingName), ("call:f", .cut), ("call:f{", .cut), ("call:f{a:<|\"|>b", .cut),
            ("call:f{a:b}", .malformed), ("call:f{a:<b>}", .malformed), ("call:f{}x", .malformed),
            ("call:f[]", .malformed),
        ])
    func errors(text: String, reason: FunctionCallRejection.Reason) {
        do throws(FunctionCallSyntaxError) {
            let calls = try GemmaDialect().parse(text)
            Issue.record("\(calls)")
        } catch {
            #expect(error.reason == reason, "\(text): \(error)")
        }
    }

    @Test("A reply has reasoning, text and calls, in pieces cut anywhere")
    func streaming() {
        let reply =
            "<|channel>thought\nHm.\n<channel|>Let me see."
            + "<|tool_call>call:f{a:<|\"|>b<tool_call|><|\"|>}<tool_call|><|tool_call>call:g{}<tool_call|>"
        let tags = ReasoningTags(opening: "<|channel>thought", closing: "<channel|>")
        for size in 1...reply.count {
            var router = ResponseRouter(.init(reasoning: tags, functionCalls: .gemma))
            var parts: [ResponsePart] = []
            var rest = reply[...]
            while !rest.isEmpty {
                parts += router.append(String(rest.prefix(size)))
                rest = rest.dropFirst(size)
            }
            parts += router.finish()
            var (reasoning, text, calls) = ("", "", [ParsedFunctionCall]())
            for part in parts {
                switch part {
                case .reasoning(let piece): reasoning += piece
                case .text(let piece): text += piece
                case .functionCalls(let found):
                    calls += found.map { ParsedFunctionCall(name: $0.name, arguments: $0.arguments) }
                default: Issue.record("\(part)")
                }
            }
            #expect(reasoning == "Hm.")
            #expect(text == "Let me see.")
            #expect(
                calls == [
                    ParsedFunctionCall(name: "f", arguments: ["a": "b<tool_call|>"]),
                    ParsedFunctionCall(name: "g", arguments: [:]),
                ])
        }
    }

    private static let function = Function(
        name: "weather", description: "",
        parameters: [
            FunctionParameter(name: "city", type: .string()),
            FunctionParameter(name: "days", type: .integer(minimum: 1), optional: true),
            FunctionParameter(name: "place", type: .object(["street": .string()]), optional: true),
            FunctionParameter(name: "user id", type: .integer(), optional: true),
        ])

    @Test(
        "The grammar writes bare names, and strings between marks, as text or as tokens",
        arguments: [
            ("call:weather{city:<|\"|>Bern<|\"|>}", true), ("call:weather{city:<|\"|>\"\n\\<|\"|>,days:3}", true),
            ("call:weather{city:<|\"|><|\"|>,place:{street:<|\"|>x<|\"|>},\"user id\":1}", true),
            ("call:weather{}", false), ("call:weather{city:\"Bern\"}", false), ("call:weather{city:Bern}", false),
            ("call:weather{city:<|\"|>Bern<|\"|>,days:0}", false), ("call:weather{city:<|\"|>a<|\"|>b<|\"|>}", false),
            ("call:weather{\"city\":<|\"|>Bern<|\"|>}", false), ("call:time{}", false), ("weather{}", false),
        ])
    func grammar(text: String, isAllowed: Bool) throws {
        let grammar = try #require(GemmaDialect().rest(calling: [Self.function]))
        let program = try ConstraintProgram(grammar)
        #expect(program.accepts("\(text)<tool_call|>".utf8) == isAllowed)
        // The marks as control tokens, which are framed by two bytes that no text has.
        let bytes = Array("\(text)<tool_call|>".utf8)
        let framed = bytes.replacing(Array("<|\"|>".utf8), with: [0xFF] + Array("<|\"|>".utf8) + [0xFE])
        #expect(program.accepts(framed) == isAllowed)
    }

    @Test(
        "Strings between marks have the lengths of their schemas",
        arguments: [
            ("", false), ("a", false), ("ab", true), ("\"é", true), ("abc", true), ("abcd", false), ("<|\"", true),
        ])
    func bounds(text: String, isAllowed: Bool) throws {
        let program = try ConstraintProgram(
            .markedObject([
                "type": "object", "properties": ["a": ["type": "string", "minLength": 2, "maxLength": 3]],
                "required": ["a"],
            ]))
        let mark = Array("<|\"|>".utf8)
        for mark in [mark, [0xFF] + mark + [0xFE]] {
            let value = Array("{a:".utf8) + mark + Array(text.utf8) + mark + Array("}".utf8)
            #expect(program.accepts(value) == isAllowed)
        }
    }
}
