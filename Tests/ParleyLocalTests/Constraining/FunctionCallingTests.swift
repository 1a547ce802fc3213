// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
import ParleyConversation
import ParleyDialect
import ParleyJSON
import ParleyLocal
import ParleyTesting
import Testing

@Suite("Function calling")
struct FunctionCallingTests {
    private let weather = Function(
        name: "get_weather", description: "The weather in a city",
        parameters: [
            FunctionParameter(name: "city", type: .string(oneOf: ["Bern", "Paris"]), description: "The city's name"),
            FunctionParameter(name: "unit", type: .string(oneOf: ["celsius", "fahrenheit"])),
        ])
    private let time = Function(name: "get_time", description: "The time of day")

    private func completion(
        of runner: LocalModelRunner, _ mode: FunctionCallingMode, format: FunctionCallFormat? = nil,
        functions: [Function]? = nil
    ) async throws -> MessageCompletion {
        let conversation = runner.createConversation()
        for function in functions ?? [weather, time] { conversation.registerFunction(function) }
        return try await conversation.reply(
            to: "What is the weather in Paris?",
            generationOptions: GenerationOptions(
                temperature: 0, repetitionPenalty: 1, maxTokens: 200, functionCallParser: format, functionCalling: mode)
        ).completion
    }

    private func requireWeather(_ call: FunctionCall?) throws {
        let call = try #require(call)
        #expect(call.name == "get_weather")
        #expect(Set(call.arguments.keys) == ["city", "unit"])
        #expect(call["city"]?.string != nil)
        #expect(["celsius", "fahrenheit"].contains(call["unit"]?.string))
    }

    @Test("A call that has been opened is constrained to the functions and their arguments")
    func lazy() async throws {
        let runner = try ScriptedRunners.runner(
            saying: #"Let me see. <tool_call>{"name": "get_weather", "arguments": {"city": "Bern", "unit": 5, "#)
        let completion = try await completion(of: runner, .automatic)
        #expect(completion.message.text == "Let me see. ")
        #expect(completion.finishReason == .functionCall)
        #expect(completion.info.rejectedFunctionCalls.isEmpty)
        try requireWeather(completion.message.functionCalls?.first)
    }

    @Test("A call whose opening tag is missing is constrained at the beginning of a line", arguments: ["", "So:\n"])
    func missingOpening(beginning: String) async throws {
        let runner = try ScriptedRunners.runner(
            saying: beginning + "<function=get_weather>\n<parameter=city>\nRome\n</parameter>\n</function>")
        let completion = try await completion(of: runner, .automatic, format: .qwenCoder)
        #expect(completion.message.text == beginning)
        #expect(completion.info.rejectedFunctionCalls.isEmpty)
        try requireWeather(completion.message.functionCalls?.first)
    }

    @Test("Text without a call is not constrained")
    func free() async throws {
        let runner = try ScriptedRunners.runner(saying: "It <tool is> sunny {}.")
        let completion = try await completion(of: runner, .automatic)
        #expect(completion.message.text == "It <tool is> sunny {}.")
        #expect(completion.finishReason == .stop)
        #expect(completion.info.prompt.describesFunctionsInSystemMessage)
    }

    @Test(
        "A required call is generated whatever the model's logits are",
        arguments: [FunctionCallFormat.hermes, .lfmPythonic, .llama3JSON, .qwenCoder, .gemma])
    func required(format: FunctionCallFormat) async throws {
        let runner = try ScriptedRunners.runner(saying: "I would rather talk.")
        let completion = try await completion(of: runner, .named("get_weather"), format: format)
        #expect(completion.message.text.isEmpty)
        #expect(completion.finishReason == .functionCall)
        try requireWeather(completion.message.functionCalls?.first)
    }

    @Test(
        "If calls are required, a model whose template supports functions may make several, any other makes one",
        arguments: [(TinyTokenizer.chatTemplate, 1), ("{# tools <tool_call> #}" + TinyTokenizer.chatTemplate, 2)])
    func requiredCalls(template: String, count: Int) async throws {
        let call = #"<tool_call>{"name": "get_time", "arguments": {}}</tool_call>"#
        let runner = try ScriptedRunners.runner(saying: "\(call)\n\(call)", template: template)
        let completion = try await completion(of: runner, .required)
        #expect(completion.info.prompt.describesFunctionsInSystemMessage == (count == 1))
        #expect(completion.finishReason == .functionCall)
        #expect(completion.message.functionCalls?.map(\.name) == Array(repeating: "get_time", count: count))
    }

    @Test(
        "A required call in a channel of its own comes after reasoning, or at once",
        arguments: ["<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant", ""])
    func channels(beginning: String) async throws {
        let template =
            "{# tools <|channel|>analysis<|message|> <|channel|>commentary functions. #}" + TinyTokenizer.chatTemplate
        let runner = try ScriptedRunners.runner(
            saying: beginning + "<|channel|>commentary to=functions.get_time<|message|>{} and more", template: template)
        let completion = try await completion(of: runner, .required)
        #expect(completion.finishReason == .functionCall)
        #expect(completion.message.text.isEmpty)
        #expect(completion.message.reasoningContent == (beginning.isEmpty ? nil : "Hm."))
        #expect(completion.message.functionCalls?.map(\.name) == ["get_time"])
    }

    @Test(
        "A call in a channel is constrained after the header of its message, and the text of an answer is not",
        arguments: [
            (" to=functions.get_weather<|channel|>commentary json<|message|>{}", true),
            ("<|channel|>commentary to=functions.get_weather<|message|>{}", true),
            ("<|channel|>final<|message|>Write to=functions.get_weather{}", false),
        ])
    func headers(reply: String, isCall: Bool) async throws {
        let chat = TinyTokenizer.chatTemplate
        let runner = try ScriptedRunners.runner(
            saying: reply,
            template: "{# tools <|channel|>analysis<|message|> <|channel|>commentary functions. #}" + chat)
        let completion = try await completion(of: runner, .automatic)
        #expect(completion.message.text == (isCall ? "" : "Write to=functions.get_weather{}"))
        #expect(completion.info.rejectedFunctionCalls.isEmpty)
        let calls = completion.message.functionCalls ?? []
        #expect(calls.isEmpty == !isCall)
        if isCall { try requireWeather(calls.first) }
    }

    @Test("A required call of a format that is not known, or of no function, is refused")
    func impossible() async throws {
        let runner = try ScriptedRunners.runner(saying: "hello")
        for (mode, format, functions) in [
            (.required, .rawText, nil), (.required, nil, []), (.named("nothing"), nil, nil),
        ] as [(FunctionCallingMode, FunctionCallFormat?, [Function]?)] {
            let error = await #expect(throws: ConversationError.self) {
                try await completion(of: runner, mode, format: format, functions: functions)
            }
            #expect(error?.code == .invalidInput)
        }
    }

    @Test("Without functions a reply is not constrained, and the prompt describes none")
    func none() async throws {
        let runner = try ScriptedRunners.runner(saying: "<tool_call>{}</tool_call>")
        let completion = try await completion(of: runner, .none)
        #expect(completion.message.text == "<tool_call>{}</tool_call>")
        #expect(!completion.info.prompt.describesFunctionsInSystemMessage)
    }
}
