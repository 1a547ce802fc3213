// SPDX-License-Identifier: Apache-2.0

// An agent that looks the weather up, once the user has allowed it.
//
//     swift run -c release ParleyWeatherExample "What is the weather in Bern?"

import Foundation
import Parley

@main
struct Weather {
    static func main() async {
        do {
            try await answer(CommandLine.arguments.dropFirst().first ?? "What is the weather in Bern?")
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
    }

    /// What the model has to say when it calls the function.
    struct Arguments: Decodable {
        var city: String
    }

    /// What the model gets back, as JSON.
    struct Report: Encodable {
        var city: String
        var weather: String
    }

    struct UnknownCity: Error, CustomStringConvertible {
        var description: String { "There is no weather station in that city." }
    }

    /// Where an app would ask a weather service.
    static let stations = ["bern": "4 °C and snow", "oslo": "-7 °C and clear", "rome": "18 °C and sunny"]

    static let getWeather = FunctionTool(
        Function(
            name: "get_weather", description: "Get the current weather in a city.",
            parameters: [FunctionParameter(name: "city", type: .string(), description: "The city's name")]),
        arguments: Arguments.self
    ) { arguments in
        guard let weather = stations[arguments.city.lowercased()] else { throw UnknownCity() }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys  // the same text each time, so that the model says the same
        return String(decoding: try encoder.encode(Report(city: arguments.city, weather: weather)), as: UTF8.self)
    }

    static func answer(_ question: String) async throws {
        let runner = try await LocalModelRunner.load("smollm2-135m")
        let conversation = runner.createConversation(systemPrompt: "Answer briefly.")
        let loop = FunctionLoop(conversation: conversation, tools: [getWeather], limits: .init(rounds: 3)) { call in
            print("The model wants to call \(call.name) with \(call.arguments). Allow? [y/n]")
            return readLine() == "y" ? .allow : .deny(reason: "The user said no.")
        }

        // A model of this size seldom decides by itself to call a function, so that it must.
        let options = GenerationOptions(temperature: 0, maxTokens: 200, functionCalling: .named("get_weather"))
        for try await event in loop.run(.user(question), generationOptions: options) {
            switch event {
            case .response(.chunk(let text)): print(text, terminator: "")
            case .response: break
            case .result(let call, let message): print("\(call.name): \(message.text)")
            case .finished(let outcome): print("\n(\(outcome.reason) after \(outcome.rounds) rounds)")
            }
        }
        await runner.unload()
    }
}
