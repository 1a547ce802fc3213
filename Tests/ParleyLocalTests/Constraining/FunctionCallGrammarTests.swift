// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
import ParleyConstraint
import ParleyConversation
import ParleyJSON
import ParleyLocal
import ParleyReplyCases
import ParleyRuntime
import Testing

@Suite("Grammars of function calls")
struct FunctionCallGrammarTests {
    private static let functions = [
        Function(
            name: "weather", description: "",
            parameters: [
                FunctionParameter(name: "city", type: .string()),
                FunctionParameter(name: "days", type: .integer(minimum: 1), optional: true),
                FunctionParameter(name: "metric", type: .boolean(), optional: true),
                FunctionParameter(name: "place", type: .object(["street": .string()]), optional: true),
                FunctionParameter(name: "user id", type: .integer(), optional: true),
            ]),
        Function(name: "time", description: ""),
    ]
    private static let plain = [
        Function(
            name: "weather", description: "",
            parameters: [
                FunctionParameter(name: "city", type: .string()),
                FunctionParameter(name: "place", type: .object(["street": .string()]), optional: true),
            ]),
        Function(name: "time", description: ""),
    ]

    private func accepts(
        _ text: String, _ format: FunctionCallFormat, _ functions: [Function], several: Bool = true
    ) throws -> Bool {
        let grammar = try #require(format.rest(calling: functions, allowsSeveral: several))
        return try ConstraintProgram(grammar).accepts(text.utf8)
    }

    @Test(
        "Calls in JSON name a function and give it its arguments",
        arguments: [
            (#"{"name": "weather", "arguments": {"city": "Paris"}}"#, true), (#"{"name":"time","arguments":{}}"#, true),
            ("{\n  \"name\": \"weather\",\n  \"arguments\": {\"city\": \"x\", \"days\": 3}\n}", true),
            (#"{"name": "weather", "arguments": {"city": "x", "place": {"street": ""}, "user id": 1}}"#, true),
            (#"{"name": "weather", "arguments": {}}"#, false),
            (#"{"name": "time", "arguments": {"city": "Paris"}}"#, false),
            (#"{"name": "other", "arguments": {}}"#, false), (#"{"arguments": {}, "name": "time"}"#, false),
        ])
    func json(_ text: String, _ isCall: Bool) throws {
        #expect(try accepts("\n\(text)\n</tool_call>", .hermes, Self.functions) == isCall)
        #expect(try !accepts(text, .hermes, Self.functions))
        let llama = text.replacing("arguments", with: "parameters")
        #expect(try accepts(llama, .llama3JSON, Self.functions) == isCall)
        #expect(try !accepts("\(llama)<|python_tag|>\(llama)", .llama3JSON, Self.functions))
        for list in ["[\(text)]", " [\(text), \(text)]"] {
            #expect(try accepts(list, .mistralJSON, Self.functions) == isCall)
        }
        #expect(try !accepts("[\(text), \(text)]", .mistralJSON, Self.functions, several: false))
    }

    @Test(
        "Pythonic calls name functions and give them keyword arguments",
        arguments: [
            (#"[weather(city="Paris")]"#, true), (#"[weather(city="a\"b", place={"street": "x"}), time()]"#, true),
            ("[time(),time()]", true),
            ("[]", false), ("[weather()]", false), (#"[weather(place={"street": "x"})]"#, false),
            (#"[weather(city="x", place=(street="x"))]"#, false), ("[time(city=\"x\")]", false),
        ])
    func pythonic(_ text: String, _ isCall: Bool) throws {
        #expect(try accepts("\(text)<|tool_call_end|>", .lfmPythonic, Self.plain) == isCall)
    }

    @Test("Where a parameter's name is none to Python the arguments are a dictionary")
    func unpacked() throws {
        let text = #"[weather(**{"city": "x", "metric": True, "place": {"street": "y"}, "user id": 7}), time()]"#
        #expect(try accepts("\(text)<|tool_call_end|>", .lfmPythonic, Self.functions))
        let call = try #require(PythonicCallParser().parse(text).first)
        #expect(call.arguments == ["city": "x", "metric": true, "place": ["street": "y"], "user id": 7])
    }

    @Test(
        "Mistral's later calls are name and arguments, each behind a tag",
        arguments: [
            (#"weather[ARGS]{"city": "x"}"#, true), ("time[ARGS]{}[TOOL_CALLS]time[ARGS]{}", true),
            ("time[CALL_ID]aB3dE5gH7[ARGS]{}", true), ("time{}", false), ("time[ARGS]", false),
            ("time[CALL_ID]x[ARGS]{}", false), ("time[ARGS]{}time[ARGS]{}", false),
        ])
    func mistral(_ text: String, _ isCall: Bool) throws {
        #expect(try accepts(text, .mistralNamed, Self.functions) == isCall)
    }

    @Test("An id of Mistral's may stand behind the arguments")
    func mistralID() throws {
        let text = #"[{"name": "time", "arguments": {}, "id": "aB3dE5gH7"}]"#
        #expect(try accepts(text, .mistralJSON, Self.functions))
        #expect(try MistralCallParser.list.parse(text).first?.id == "aB3dE5gH7")
    }

    @Test("An app's own notation holds a model to it")
    func ownNotation() throws {
        struct Parser: FunctionCallParser {
            var notation: FunctionCallNotation? {
                FunctionCallNotation([.name, .text(":"), .space(" "), .arguments], grouping: .alone)
            }

            func parse(_ text: String) throws(FunctionCallSyntaxError) -> [ParsedFunctionCall] { [] }
        }
        let format = FunctionCallFormat(name: "own", opening: "<<", closing: ">>", parser: Parser())
        #expect(try accepts(#"weather: {"city": "x"}>>"#, format, Self.functions))
        #expect(try !accepts(#"weather {"city": "x"}>>"#, format, Self.functions))
    }

    @Test(
        "Whatever may be written is read to what it says, and so is what prompts show", arguments: WrittenCalls.formats)
    func everything(format: FunctionCallFormat) throws {
        var random = SplitMix64(seed: 11)
        var count = 0
        for seed in 0..<40 {
            guard let functions = try WrittenCalls(format, SplitMix64(seed: UInt64(seed))) else { continue }
            for _ in 0..<20 {
                guard let text = try functions.text(&random) else { continue }
                try functions.check(text)
                count += 1
            }
        }
        #expect(count > 400)
    }
}
