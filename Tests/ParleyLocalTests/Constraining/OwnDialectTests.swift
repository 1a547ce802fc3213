// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
import ParleyConstraint
import ParleyConversation
import ParleyDialect
import ParleyJSON
import ParleyLocal
import ParleyRuntime
import ParleyTesting
import ParleyTokenizer
import Testing

/// Calls such as `<<get_weather: {"city": "Bern"}>>`.
private struct ColonDialect: CallDialect {
    let name = "colon"
    let opening = "<<"
    let closing: String? = ">>"

    func parse(_ text: String) throws(FunctionCallSyntaxError) -> [ParsedFunctionCall] {
        let parts = text.split(separator: ":", maxSplits: 1)
        guard parts.count == 2, let arguments = try? JSONValue(parsing: String(parts[1])).object else {
            throw FunctionCallSyntaxError(.malformed, "It is no call.", endsInsideString: true)
        }
        return [ParsedFunctionCall(name: String(parts[0]), arguments: arguments)]
    }

    func spell(_ calls: [FunctionCall]) -> String {
        calls.map { "<<\($0.name): \(JSONValue.object($0.arguments).text())>>" }.joined()
    }

    func grammar(calling functions: [Function], allowsSeveral: Bool) -> Grammar? {
        .choice(
            functions.map { function in
                .sequence([.literal("\(function.name): "), .object(function.parameters.value, closesObjects: true)])
            })
    }

    func canCall(_ name: String) -> Bool { !name.contains(":") }
}

@Suite("An app's own dialect")
struct OwnDialectTests {
    private let weather = Function(
        name: "get_weather", description: "The weather in a city",
        parameters: [
            FunctionParameter(name: "city", type: .string()),
            FunctionParameter(name: "unit", type: .string(oneOf: ["celsius", "fahrenheit"])),
        ])

    private func options(_ mode: FunctionCallingMode) -> GenerationOptions {
        GenerationOptions(
            temperature: 0, repetitionPenalty: 1, maxTokens: 200,
            functionCallParser: FunctionCallFormat(ColonDialect()), functionCalling: mode)
    }

    private func conversation(
        _ reply: String, functions: [Function]? = nil
    ) throws -> Conversation {
        let conversation = try ScriptedRunners.runner(saying: reply).createConversation()
        for function in functions ?? [weather] { conversation.registerFunction(function) }
        return conversation
    }

    @Test("A call that the model begins is constrained by the grammar and parsed, including tags inside its strings")
    func opened() async throws {
        let conversation = try conversation(
            #"Well. <<get_weather: {"city": "a >> b", "unit": 5, "days": 1}>> That is all."#)
        let completion = try await conversation.reply(to: "hello", generationOptions: options(.automatic)).completion
        let call = try #require(completion.message.functionCalls?.first)
        #expect(completion.message.text.hasPrefix("Well. "))
        #expect(completion.info.prompt.functionCallFormat == "colon")
        #expect(completion.info.rejectedFunctionCalls.isEmpty)
        #expect(call.name == "get_weather")
        #expect(call["city"] == "a >> b")
        #expect(Set(call.arguments.keys) == ["city", "unit"])
        #expect(["celsius", "fahrenheit"].contains(call["unit"]?.string))
    }

    @Test("A required call is generated whatever the model's logits are")
    func required() async throws {
        let unit = FunctionParameter(name: "unit", type: .string(oneOf: ["celsius", "fahrenheit"]))
        let function = Function(name: "get_weather", description: "The weather here", parameters: [unit])
        let completion = try await conversation("I would rather talk.", functions: [function])
            .reply(to: "hello", generationOptions: options(.required)).completion
        #expect(completion.message.text.isEmpty)
        #expect(completion.finishReason == .functionCall)
        let call = try #require(completion.message.functionCalls?.first)
        #expect(call.name == "get_weather" && Set(call.arguments.keys) == ["unit"])
        #expect(completion.message.rawOutput?.hasPrefix("<<get_weather: {") == true)
    }

    @Test("Prompts show the dialect's calls, and tell a model without tools how to make one")
    func spelled() throws {
        let tokenizer = try ScriptedRunners.tokenizer()
        let call = FunctionCall(id: "call00001", name: "get_weather", arguments: ["city": "Bern"])
        let prompt = try PromptRenderer(TinyTokenizer.chatTemplate, tokenizer: tokenizer).render(
            [
                .user("hello"), ChatMessage(role: .assistant, content: [], functionCalls: [call]),
                .functionResult("Sunny", for: call),
            ], functions: [weather], options: options(.automatic))
        let text = tokenizer.decode(prompt.input.tokens)
        #expect(text.contains(#"<<get_weather: {"city":"Bern"}>>"#))
        #expect(text.contains(#"<<…: {"parameter":"value"}>>"#))
    }

    @Test("A function that the dialect cannot call is refused by name")
    func name() async throws {
        let conversation = try conversation("hello", functions: [Function(name: "a:b", description: "")])
        let error = await #expect(throws: ConversationError.self) {
            try await conversation.reply(to: "hello", generationOptions: options(.automatic)).completion
        }
        #expect(error?.code == .invalidInput && error?.message.contains("a:b") == true)
    }

    @Test("A dialect without a grammar reads calls, and refuses to require one")
    func withoutGrammar() async throws {
        struct Reading: CallDialect {
            let name = "reading"
            let opening = "<<"
            let closing: String? = ">>"

            func parse(_ text: String) throws(FunctionCallSyntaxError) -> [ParsedFunctionCall] {
                try ColonDialect().parse(text)
            }
        }
        var options = options(.automatic)
        options.functionCallParser = FunctionCallFormat(Reading())
        let conversation = try conversation(#"<<get_weather: {"days": 1}>>"#)
        let completion = try await conversation.reply(to: "hello", generationOptions: options).completion
        #expect(completion.message.functionCalls?.first?.arguments == ["days": 1])
        options.functionCalling = .required
        let error = await #expect(throws: ConversationError.self) {
            try await conversation.reply(to: "hello", generationOptions: options).completion
        }
        #expect(error?.code == .invalidInput)
    }
}
