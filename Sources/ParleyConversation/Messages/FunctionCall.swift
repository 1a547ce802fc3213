// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
public import ParleyJSON

/// A function call requested by the model.
///
/// ```swift
/// func answer(_ call: FunctionCall) -> ChatMessage {
///     let city = call["city"]?.string ?? "nowhere"
///     return .functionResult("Sunny in \(city)", for: call)
/// }
/// ```
public struct FunctionCall: Hashable, Sendable {
    /// The id that a result refers to; distinct from the ids of all other calls of the conversation.
    public var id: String
    /// The function's name.
    public var name: String
    /// The arguments by the parameters' names, in the order in which the model wrote them.
    public var arguments: JSONObject

    /// Creates a call.
    public init(id: String, name: String, arguments: JSONObject) {
        self.id = id
        self.name = name
        self.arguments = arguments
    }

    /// The argument for a parameter, or nil where the model gave none. An explicit null is `.null`.
    public subscript(parameter: String) -> JSONValue? { arguments[parameter] }

    /// The arguments as a type of the app's. Dates have the form of RFC 3339, and data is in base64.
    ///
    /// - Throws: ``ConversationError`` with code `functionCallParsingFailed` where the arguments do not have that
    ///   shape.
    public func decodeArguments<Arguments: Decodable>(as type: Arguments.Type = Arguments.self) throws -> Arguments {
        do {
            return try ModelJSON.decode(type, from: Data(JSONValue.object(arguments).text().utf8))
        } catch {
            throw ConversationError(
                .functionCallParsingFailed,
                """
                The arguments of a call of "\(name)" do not have the shape that the app expects\(ModelJSON.place(of: error)); \
                check the schema.
                """, cause: error)
        }
    }
}
