// SPDX-License-Identifier: Apache-2.0

import Parley

/// Calls such as `<<get_weather: {"city": "Bern"}>>`.
struct ColonDialect: CallDialect {
    let name = "colon"
    let opening = "<<"
    let closing: String? = ">>"

    func parse(_ text: String) throws(FunctionCallSyntaxError) -> [ParsedFunctionCall] {
        let parts = text.split(separator: ":", maxSplits: 1)
        guard parts.count == 2, let arguments = try? JSONValue(parsing: String(parts[1])).object else {
            // Where `>>` stood inside a string, more of the call follows.
            throw FunctionCallSyntaxError(.malformed, "A call is a name, a colon and JSON.", endsInsideString: true)
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

@Generatable
struct Trip {
    @Guide("The city where it begins")
    var origin: String
    @Guide("The city where it ends")
    var destination: String
}

/// The examples of FunctionCalling.md, to be compiled.
enum FunctionCalling {
    struct Service {
        func weather(in city: String) async throws -> String { "Snow in \(city)" }
        func trains(from origin: String, to destination: String) async throws -> String { "" }
    }

    struct User {
        func allows(_ name: String) async -> Bool { true }
    }

    @Sendable static func show(_ text: String) {}

    struct Place: Decodable {
        var city: String
    }

    static func tool(_ service: Service) -> FunctionTool {
        let weather = FunctionTool(
            Function(
                name: "get_weather", description: "Get the current weather in a city.",
                parameters: [
                    FunctionParameter(name: "city", type: .string(), description: "The city's name"),
                    FunctionParameter(name: "unit", type: .string(oneOf: ["celsius", "fahrenheit"]), optional: true),
                ]),
            arguments: Place.self
        ) { place in
            try await service.weather(in: place.city)
        }
        return weather
    }

    static func describedTool(_ service: Service) -> FunctionTool {
        let trains = FunctionTool(
            Function(name: "find_trains", description: "Find trains between two cities.", parameters: Trip.jsonSchema),
            arguments: Trip.self
        ) { trip in
            try await service.trains(from: trip.origin, to: trip.destination)
        }
        return trains
    }

    static func looping(_ conversation: Conversation, _ weather: FunctionTool, _ user: User) async throws {
        let limits = FunctionLoop.Limits(rounds: 4, time: .seconds(60))
        let loop = FunctionLoop(conversation: conversation, tools: [weather], limits: limits) { call in
            await user.allows(call.name) ? .allow : .deny(reason: "The user said no.")
        }
        for try await event in loop.run(.user("Do I need a coat in Bern?")) {
            switch event {
            case .response(.chunk(let text)): show(text)
            case .response: break
            case .result(let call, let message): show("\(call.name): \(message.text)")
            case .finished(let outcome): show("\(outcome.reason)")
            }
        }
    }

    static func requiring(_ loop: FunctionLoop) async throws {
        let options = GenerationOptions(functionCalling: .named("get_weather"))
        for try await event in loop.run(.user("Do I need a coat in Bern?"), generationOptions: options) {
            if case .response(.chunk(let text)) = event { show(text) }
        }
    }

    static func byHand(
        _ conversation: Conversation, _ weather: FunctionTool, _ service: Service
    ) async throws -> MessageCompletion {
        conversation.registerFunction(weather.function)
        let completion = try await conversation.reply(to: "Do I need a coat in Bern?").completion
        for call in completion.message.functionCalls ?? [] {
            let place = try call.decodeArguments(as: Place.self)
            conversation.appendToHistory(.functionResult(try await service.weather(in: place.city), for: call))
        }
        let answer = try await conversation.reply(to: nil).completion
        return answer
    }

    static func argument(_ call: FunctionCall) -> String {
        let city = call["city"]?.string ?? "nowhere"
        return city
    }

    static func ownDialect() -> GenerationOptions {
        let options = GenerationOptions(functionCallParser: FunctionCallFormat(ColonDialect()))
        return options
    }
}
