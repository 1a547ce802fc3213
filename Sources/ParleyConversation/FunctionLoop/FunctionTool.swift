// SPDX-License-Identifier: Apache-2.0

/// A function with the code that runs when a model calls it.
///
/// ```swift
/// struct Place: Decodable, Sendable { var city: String }
///
/// let weather = FunctionTool(
///     Function(
///         name: "get_weather", description: "The weather in a city",
///         parameters: [FunctionParameter(name: "city", type: .string())]),
///     arguments: Place.self
/// ) { place in "Sunny in \(place.city)" }
/// ```
public struct FunctionTool: Sendable {
    /// The function's description for the model.
    public var function: Function
    /// Runs a call and returns the result for the model, preferably as JSON. The model receives the description of an
    /// error.
    public var run: @Sendable (FunctionCall) async throws -> String

    /// Creates a tool whose code receives the call itself.
    public init(_ function: Function, run: @escaping @Sendable (FunctionCall) async throws -> String) {
        self.function = function
        self.run = run
    }

    /// Creates a tool whose code receives the arguments decoded as a type of the app; see
    /// ``FunctionCall/decodeArguments(as:)``. What cannot be decoded is an error that the model receives.
    public init<Arguments: Decodable & SendableMetatype>(
        _ function: Function, arguments: Arguments.Type,
        run: @escaping @Sendable (Arguments) async throws -> String
    ) {
        self.init(function) { call in try await run(try call.decodeArguments()) }
    }
}
