// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
import ParleyJSON

/// A rule that restricts the values of a property; see ``Guide(_:_:)``.
///
/// A model cannot break a rule if its engine enforces schemas, as Parley's own engine does.
public struct GenerationRule: Hashable, Sendable {
    enum Kind: Hashable {
        case range(minimum: JSONValue?, maximum: JSONValue?)
        case count(minimum: Int, maximum: Int?)
        case pattern(String)
        case anyOf([JSONValue])
    }

    let kind: Kind

    private init(_ kind: Kind) {
        self.kind = kind
    }

    /// The number must be in a range, including both bounds.
    public static func range(_ bounds: ClosedRange<Int>) -> GenerationRule {
        GenerationRule(.range(minimum: .integer(bounds.lowerBound), maximum: .integer(bounds.upperBound)))
    }

    /// The number must be in a range, including both bounds.
    public static func range(_ bounds: ClosedRange<Double>) -> GenerationRule {
        GenerationRule(.range(minimum: .number(bounds.lowerBound), maximum: .number(bounds.upperBound)))
    }

    /// The number must be at least the bound.
    public static func range(_ bounds: PartialRangeFrom<Int>) -> GenerationRule {
        GenerationRule(.range(minimum: .integer(bounds.lowerBound), maximum: nil))
    }

    /// The number must be at least the bound.
    public static func range(_ bounds: PartialRangeFrom<Double>) -> GenerationRule {
        GenerationRule(.range(minimum: .number(bounds.lowerBound), maximum: nil))
    }

    /// The number must be at most the bound.
    public static func range(_ bounds: PartialRangeThrough<Int>) -> GenerationRule {
        GenerationRule(.range(minimum: nil, maximum: .integer(bounds.upperBound)))
    }

    /// The number must be at most the bound.
    public static func range(_ bounds: PartialRangeThrough<Double>) -> GenerationRule {
        GenerationRule(.range(minimum: nil, maximum: .number(bounds.upperBound)))
    }

    /// The number of an array's elements, a dictionary's entries or a string's Unicode scalars must be in a range.
    public static func count(_ bounds: ClosedRange<Int>) -> GenerationRule {
        GenerationRule(.count(minimum: max(bounds.lowerBound, 0), maximum: max(bounds.upperBound, 0)))
    }

    /// The number of an array's elements, a dictionary's entries or a string's Unicode scalars must be at least the
    /// bound.
    public static func count(_ bounds: PartialRangeFrom<Int>) -> GenerationRule {
        GenerationRule(.count(minimum: max(bounds.lowerBound, 0), maximum: nil))
    }

    /// The number of an array's elements, a dictionary's entries or a string's Unicode scalars must be at most the
    /// bound.
    public static func count(_ bounds: PartialRangeThrough<Int>) -> GenerationRule {
        GenerationRule(.count(minimum: 0, maximum: max(bounds.upperBound, 0)))
    }

    /// The number of an array's elements, a dictionary's entries or a string's Unicode scalars must be exactly this.
    public static func count(_ number: Int) -> GenerationRule { count(number...number) }

    /// A regular expression of JSON Schema must match somewhere in the string; `^` and `$` anchor it to the ends.
    public static func pattern(_ expression: String) -> GenerationRule { GenerationRule(.pattern(expression)) }

    /// The string must be one of these.
    public static func anyOf(_ texts: [String]) -> GenerationRule {
        GenerationRule(.anyOf(texts.map(JSONValue.string)))
    }

    /// The number must be one of these.
    public static func anyOf(_ numbers: [Int]) -> GenerationRule {
        GenerationRule(.anyOf(numbers.map(JSONValue.integer)))
    }
}

extension GenerationRule {
    /// Adds the rule to a schema; for arrays and dictionaries, rules other than `count` apply to the elements.
    func apply(to schema: inout JSONValue) {
        switch (schema["type"]?.string, kind) {
        case ("array", .count(let minimum, let maximum)):
            Self.set(&schema, "minItems", minimum, "maxItems", maximum)
        case ("object", .count(let minimum, let maximum)):
            Self.set(&schema, "minProperties", minimum, "maxProperties", maximum)
        case (_, .count(let minimum, let maximum)): Self.set(&schema, "minLength", minimum, "maxLength", maximum)
        case ("array", _): Self.change(&schema, "items", apply)
        case ("object", _): Self.change(&schema, "additionalProperties", apply)
        case (_, .range(let minimum, let maximum)):
            // A bound of the type itself stays if it is tighter.
            if let minimum { schema["minimum"] = Self.chosen(minimum, schema["minimum"]) { $0 > $1 } }
            if let maximum { schema["maximum"] = Self.chosen(maximum, schema["maximum"]) { $0 < $1 } }
        case (_, .pattern(let expression)): schema["pattern"] = .string(expression)
        case (_, .anyOf(let values)): schema["enum"] = .array(values)
        }
    }

    private static func set(
        _ schema: inout JSONValue, _ lower: String, _ minimum: Int, _ upper: String, _ maximum: Int?
    ) {
        if minimum > 0 { schema[lower] = .integer(minimum) }
        if let maximum { schema[upper] = .integer(maximum) }
    }

    private static func change(_ schema: inout JSONValue, _ keyword: String, _ change: (inout JSONValue) -> Void) {
        guard var part = schema[keyword] else { return }
        // The schema of an optional element is a choice between the element and null.
        if case .array(var options)? = part["anyOf"], !options.isEmpty {
            change(&options[0])
            part["anyOf"] = .array(options)
        } else {
            change(&part)
        }
        schema[keyword] = part
    }

    private static func chosen(
        _ new: JSONValue, _ old: JSONValue?, _ isTighter: (Double, Double) -> Bool
    ) -> JSONValue {
        guard let old, let bound = old.number, let wanted = new.number, !isTighter(wanted, bound) else { return new }
        return old
    }
}
