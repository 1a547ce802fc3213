// SPDX-License-Identifier: Apache-2.0

/// Makes a struct or an enum ``Generatable``: it gains `jsonSchema`, `init(from:)` and, where it is a struct,
/// `Partial`, the same with every field optional, for streaming.
///
/// ```swift
/// @Generatable("What the customer wants")
/// struct Order {
///     @Generatable enum Urgency: String { case low, high }
///
///     @Guide("One sentence", .count(1...200))
///     var summary: String
///     var urgency: Urgency
///     var orderNumber: Int?
///     var labels: [String] = []
/// }
/// ```
///
/// A struct is an object with its stored properties and no others. Optional properties, and those with a default value,
/// may be left out. An enum with raw values of type `String` or of an integer type is one of these values. Any other
/// enum is an object with one member, as Swift's `Codable` writes it: `case circle(radius: Double)` is
/// `{"circle": {"radius": 1.5}}`, and `case none` is `{"none": {}}`. Names in a `CodingKeys` inside the type count.
///
/// Dates are RFC 3339 texts, `Data` is base64. An integer without a range has the range of its type; models, above all
/// small ones, do better with a narrower range.
///
/// A property that cannot be described is an error: one without a written type, a tuple, a function, `Any`, a constant
/// with a value, and so on. So is a class, an actor or a generic type. Computed and static properties are no part of
/// the value. The types of properties must be `Generatable` themselves. A type inside a function cannot have the macro,
/// as Swift has no extensions there.
///
/// - Parameter description: the type's description for the model.
@attached(member, names: named(Partial), named(schema(in:)), named(partial(from:)))
@attached(extension, conformances: Generatable, names: named(init(from:)))
public macro Generatable(_ description: String? = nil) =
    #externalMacro(module: "ParleyMacros", type: "GeneratableMacro")

/// Tells the model about a property of a ``Generatable(_:)`` type and bounds its values.
///
/// ```swift
/// @Generatable
/// struct Review {
///     @Guide("Stars", .range(1...5)) var stars: Int
///     @Guide("Year and month", .pattern("^20[0-9]{2}-(0[1-9]|1[0-2])$")) var month: String
///     @Guide("Two or three tags", .count(2...3), .anyOf(["spicy", "sweet", "sour"])) var tags: [String]
/// }
/// ```
///
/// On an array or a dictionary, `count` bounds its size and the other rules bound its elements. A rule that does not
/// fit the property's type is an error.
///
/// - Parameters:
///   - description: the property's description for the model.
///   - rules: the rules for its values.
@attached(peer)
public macro Guide(_ description: String, _ rules: GenerationRule...) =
    #externalMacro(module: "ParleyMacros", type: "GuideMacro")

/// Bounds the values of a property of a ``Generatable(_:)`` type, without a description; see ``Guide(_:_:)``.
@attached(peer)
public macro Guide(_ rules: GenerationRule...) = #externalMacro(module: "ParleyMacros", type: "GuideMacro")
