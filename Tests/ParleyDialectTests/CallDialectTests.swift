// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
import ParleyConstraint
import ParleyConversation
import ParleyDialect
import ParleyJSON
import ParleyReplyCases
import ParleyRuntime
import Testing

@Suite("Grammars of call dialects")
struct CallDialectTests {
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
        let grammar = try #require(format.dialect?.rest(calling: functions, allowsSeveral: several))
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
        #expect(try accepts("[\(text), \(text)]</tool_calls>", .apriel, Self.functions) == isCall)
        #expect(try !accepts("\(text)</tool_calls>", .apriel, Self.functions))
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

    @Test("If a parameter's name is not a Python name, the arguments are a dictionary")
    func unpacked() throws {
        let text = #"[weather(**{"city": "x", "metric": True, "place": {"street": "y"}, "user id": 7}), time()]"#
        #expect(try accepts("\(text)<|tool_call_end|>", .lfmPythonic, Self.functions))
        let call = try #require(LiquidDialect().parse(text).first)
        #expect(call.arguments == ["city": "x", "metric": true, "place": ["street": "y"], "user id": 7])
    }

    @Test(
        "In Mistral's newer format, name and arguments each follow a tag",
        arguments: [
            (#"weather[ARGS]{"city": "x"}"#, true), ("time[ARGS]{}[TOOL_CALLS]time[ARGS]{}", true),
            ("time[CALL_ID]aB3dE5gH7[ARGS]{}", true), ("time{}", false), ("time[ARGS]", false),
            ("time[CALL_ID]x[ARGS]{}", false), ("time[ARGS]{}time[ARGS]{}", false),
        ])
    func mistral(_ text: String, _ isCall: Bool) throws {
        #expect(try accepts(text, .mistralNamed, Self.functions) == isCall)
    }

    @Test("In Mistral's format an id may follow the arguments")
    func mistralID() throws {
        let text = #"[{"name": "time", "arguments": {}, "id": "aB3dE5gH7"}]"#
        #expect(try accepts(text, .mistralJSON, Self.functions))
        #expect(try MistralDialect.list.parse(text).first?.id == "aB3dE5gH7")
    }

    @Test("The Hermes format with an app's own tags constrains a model to these tags")
    func ownTags() throws {
        let format = FunctionCallFormat(HermesDialect(name: "own", opening: "<<", closing: ">>"))
        #expect(try accepts(#"{"name": "time", "arguments": {}}>>"#, format, Self.functions))
        #expect(try !accepts(#"{"name": "time", "arguments": {}}</tool_call>"#, format, Self.functions))
    }

    @Test("A dialect that is only a parser shows calls as JSON between its tags, and does not constrain models")
    func readingDialect() throws {
        struct Reading: CallDialect {
            let name = "reading"
            let opening = "<<"
            let closing: String? = ">>"

            func parse(_ text: String) throws(FunctionCallSyntaxError) -> [ParsedFunctionCall] { [] }
        }
        let call = FunctionCall(id: "1", name: "time", arguments: ["zone": "CET"])
        #expect(Reading().spell([call]) == "<<\n{\"name\": \"time\", \"arguments\": {\"zone\": \"CET\"}}\n>>")
        #expect(Reading().rest(calling: Self.functions) == nil)
        #expect(Reading().reply(calling: Self.functions, allowsSeveral: true) == nil)
    }

    @Test(
        "Every call that a grammar allows is parsed to the same call, and so are the calls shown in prompts",
        arguments: WrittenCalls.formats)
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
