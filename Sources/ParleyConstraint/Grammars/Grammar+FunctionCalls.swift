// SPDX-License-Identifier: Apache-2.0

public import ParleyJSON

/// A function that a model may call, as a constraint sees it.
public struct CallableFunction: Sendable, Hashable {
    /// The name by which it is called.
    public var name: String
    /// The JSON Schema of its arguments, an object.
    public var parameters: JSONValue

    /// Creates a function.
    public init(name: String, parameters: JSONValue) {
        self.name = name
        self.parameters = parameters
    }
}

extension Grammar {
    /// A call in JSON, such as `{"name": "weather", "arguments": {"city": "Paris"}}`.
    ///
    /// Arguments are only those that the function's schema declares, unless it says otherwise.
    ///
    /// - Parameter argumentsKey: `arguments` as Hermes and Qwen have it, `parameters` as Llama 3 has it.
    public static func jsonCall(_ functions: [CallableFunction], argumentsKey: String = "arguments") -> Grammar {
        let gap = Grammar.pattern(ProgramBuilder.whitespace)
        let key = String(decoding: TextEncoding.json.bytes(of: argumentsKey), as: UTF8.self)
        let calls = functions.map { function in
            let name = String(decoding: TextEncoding.json.bytes(of: function.name), as: UTF8.self)
            return Grammar.sequence([
                .literal("\(name)\","), gap, .literal("\"\(key)\":"), .pattern(" ?"),
                .object(function.parameters, closesObjects: true),
            ])
        }
        return .sequence([
            .literal("{"), gap, .literal("\"name\":"), .pattern(" ?"), .literal("\""), .choice(calls), gap,
            .literal("}"),
        ])
    }

    /// Calls in Python, such as `[weather(city="Paris"), time()]`.
    public static func pythonicCalls(_ functions: [CallableFunction]) -> Grammar {
        let calls = functions.map { function in
            Grammar.sequence([.literal(function.name), .keywordArguments(function.parameters)])
        }
        return .sequence([
            .literal("["), .repetition(.choice(calls), separator: .pattern(", ?"), minimum: 1, maximum: 64),
            .literal("]"),
        ])
    }
}
