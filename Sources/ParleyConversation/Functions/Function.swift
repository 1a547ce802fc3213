// SPDX-License-Identifier: Apache-2.0

public import ParleyJSON

/// The description of a function that a model may call.
///
/// ```swift
/// let weather = Function(
///     name: "get_weather", description: "The weather in a city",
///     parameters: [
///         FunctionParameter(name: "city", type: .string(), description: "The city's name"),
///         FunctionParameter(name: "unit", type: .string(oneOf: ["celsius", "fahrenheit"]), optional: true),
///     ])
/// ```
///
/// The app runs it when the model calls it, or a ``FunctionTool`` in a ``FunctionLoop`` does.
public struct Function: Hashable, Sendable, Codable {
    /// The name that the model calls: letters, digits, `_`, `-` and `.`.
    public var name: String
    /// What the function does and when to call it, for the model to read.
    public var description: String
    /// The schema of the arguments: an object with a property for each parameter.
    public var parameters: JSONSchema

    /// Creates a function from the schema of its arguments.
    public init(name: String, description: String, parameters: JSONSchema) {
        self.name = name
        self.description = description
        self.parameters = parameters
    }

    /// Creates a function from a list of its parameters.
    public init(name: String, description: String, parameters: [FunctionParameter] = []) {
        self.init(
            name: name, description: description,
            parameters: .object(
                parameters.map { (key: $0.name, value: $0.schema) },
                required: parameters.filter { !$0.optional }.map(\.name)))
    }

    /// The function in the form that chat templates and OpenAI's chat completions expect.
    public var json: JSONValue {
        [
            "type": "function",
            "function": [
                "name": .string(name), "description": .string(description), "parameters": parameters.value,
            ],
        ]
    }
}
