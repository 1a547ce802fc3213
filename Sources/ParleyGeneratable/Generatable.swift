// SPDX-License-Identifier: Apache-2.0

public import ParleyConversation

/// A type whose values a model can write.
///
/// Attach ``Generatable(_:)`` to a struct or an enum rather than conform by hand:
///
/// ```swift
/// @Generatable("A recipe")
/// struct Recipe {
///     @Guide("Its name, in a few words")
///     var name: String
///     @Guide("Minutes at the stove", .range(1...240))
///     var minutes: Int
///     @Guide("What goes in", .count(1...12))
///     var ingredients: [String]
/// }
///
/// func recipe(_ conversation: Conversation) async throws -> Recipe {
///     try await conversation.reply(to: "Soup for two.", generating: Recipe.self)
/// }
/// ```
///
/// `String`, `Bool`, the integers, `Float`, `Double`, `Date`, `URL`, `UUID` and `Data` conform, and so do arrays,
/// dictionaries with `String` keys and optionals of conforming types. To conform by hand, return a schema and decode
/// the values that it allows:
///
/// ```swift
/// struct Celsius: Generatable {
///     var degrees: Double
///
///     static func schema(in builder: inout SchemaBuilder) -> JSONSchema { .number(minimum: -273.15) }
///
///     init(from decoder: any Decoder) throws {
///         degrees = try decoder.singleValueContainer().decode(Double.self)
///     }
/// }
/// ```
public protocol Generatable: Decodable, Sendable {
    /// A value while it is being generated: for a struct its fields, each optional; for types that make sense only as a
    /// whole, the type itself.
    associatedtype Partial: Sendable = Self

    /// Describes the type; the types of its parts are described by the same builder.
    static func schema(in builder: inout SchemaBuilder) -> JSONSchema

    /// Reads the part of a value generated so far; nil where there is none.
    static func partial(from value: PartialValue) -> Partial?
}

extension Generatable {
    /// The JSON Schema of the type, for ``GenerationOptions/jsonSchemaConstraint``.
    ///
    /// A type that occurs in several places, or in itself, is described once, in `$defs`.
    public static var jsonSchema: JSONSchema { SchemaBuilder.schema(of: Self.self) }
}

extension Generatable where Partial == Self {
    /// Reads the value once it is complete.
    public static func partial(from value: PartialValue) -> Self? { value.decoded(as: Self.self) }
}
