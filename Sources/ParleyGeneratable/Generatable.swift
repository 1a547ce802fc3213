// SPDX-License-Identifier: Apache-2.0

public import ParleyConversation

/// A type whose values a model can generate.
///
/// Usually you attach the macro ``Generatable(_:)`` to a struct or an enum instead of writing the conformance yourself:
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
/// `String`, `Bool`, the integer types, `Float`, `Double`, `Date`, `URL`, `UUID` and `Data` conform, and so do arrays,
/// dictionaries with `String` keys and optionals of conforming types. To write a conformance yourself, return a schema
/// and decode the values that it allows:
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
    /// The type of a value that is still being generated: for a struct, a type with the same properties, all optional;
    /// for types that are meaningful only as a whole, the type itself.
    associatedtype Partial: Sendable = Self

    /// Describes the type, using the builder for the types that it contains.
    static func schema(in builder: inout SchemaBuilder) -> JSONSchema

    /// Reads the part of a value that has been generated so far; nil if there is none.
    static func partial(from value: PartialValue) -> Partial?
}

extension Generatable {
    /// The JSON Schema of the type, for ``GenerationOptions/jsonSchemaConstraint``.
    ///
    /// A type that occurs several times, or contains itself, is described once, under `$defs`.
    public static var jsonSchema: JSONSchema { SchemaBuilder.schema(of: Self.self) }
}

extension Generatable where Partial == Self {
    /// Reads the value once it is complete; nil before.
    public static func partial(from value: PartialValue) -> Self? { value.decoded(as: Self.self) }
}
