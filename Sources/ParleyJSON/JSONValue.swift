// SPDX-License-Identifier: Apache-2.0

/// A JSON document or a part of one.
///
/// Members keep their order, and numbers their kind and value: `1` is parsed as an integer and `1.0` as a number, and
/// each is written back as it was read. Numbers that would lose digits are kept as text.
///
/// ```swift
/// let value = try JSONValue(parsing: #"{"name": "add", "arguments": {"a": 1, "b": 2.0}}"#)
/// let name = value["name"]?.string  // "add"
/// let text = value["arguments"]?.text()  // {"a":1,"b":2.0}
/// ```
public enum JSONValue: Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number written without fraction and exponent that fits `Int`.
    case integer(Int)
    /// Any other number that a double represents without loss, that is, whose shortest notation has the same value.
    case number(Double)
    /// A number that neither `Int` nor `Double` represents.
    case decimal(JSONDecimal)
    /// A string.
    case string(String)
    /// A list of values.
    case array([JSONValue])
    /// Named values, in order.
    case object(JSONObject)
}

extension JSONValue: Hashable {
    /// Whether two values have the same kind and are equal; strings are compared by code points.
    public static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.decimal(let left), .decimal(let right)): left == right
        case (.string(let left), .string(let right)): left.isExactly(right)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }

    /// Hashes the value.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        case .integer(let value): hasher.combine(value)
        case .number(let value): hasher.combine(value)
        case .decimal(let value): hasher.combine(value)
        case .string(let value): hasher.combine(ExactText(value))
        case .array(let value): hasher.combine(value)
        case .object(let value): hasher.combine(value)
        }
    }
}
