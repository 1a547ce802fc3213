// SPDX-License-Identifier: Apache-2.0

/// Makes a struct or an enum ``Generatable``, by adding `schema(in:)`, `init(from:)` and, for a struct, a type `Partial`,
/// which has the same properties, all optional, for streaming.
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
/// A struct becomes a JSON object with its stored properties and no others. Optional properties, and those with a
/// default value, may be missing. An enum with raw values of type `String` or an integer type becomes one of these
/// values. Any other enum becomes an object with one member, in the form of Swift's `Codable`: `case circle(radius:
/// Double)` becomes `{"circle": {"radius": 1.5}}`, and `case none` becomes `{"none": {}}`. If the type contains
/// `CodingKeys`, their names are used.
///
/// Dates are strings in the form of RFC 3339, and `Data` is a string in base64. An integer without a range rule can
/// have any value of its type; models, especially small ones, give better values with a narrower range.
///
/// It is an error if a property cannot be described, for example one without a written type, a tuple, a function,
/// `Any`, or a constant with a value. Classes, actors and generic types are errors too. Computed and static properties
/// are ignored. The types of the properties must be `Generatable` themselves. The macro cannot be attached to a type
/// inside a function, because Swift does not allow extensions there.
///
/// - Parameter description: the type's description for the model.
@attached(member, names: named(Partial), named(schema(in:)), named(partial(from:)))
@attached(extension, conformances: Generatable, names: named(init(from:)))
public macro Generatable(_ description: String? = nil) =
    #externalMacro(module: "ParleyMacros", type: "GeneratableMacro")

/// Describes a property of a ``Generatable(_:)`` type to the model, and restricts its values.
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
/// On an array or a dictionary, `count` restricts its size, and other rules restrict its elements. A rule that does not
/// suit the property's type is an error.
///
/// - Parameters:
///   - description: the property's description for the model.
///   - rules: the rules for its values.
@attached(peer)
public macro Guide(_ description: String, _ rules: GenerationRule...) =
    #externalMacro(module: "ParleyMacros", type: "GuideMacro")

/// Restricts the values of a property of a ``Generatable(_:)`` type, without describing it; see ``Guide(_:_:)``.
@attached(peer)
public macro Guide(_ rules: GenerationRule...) = #externalMacro(module: "ParleyMacros", type: "GuideMacro")
