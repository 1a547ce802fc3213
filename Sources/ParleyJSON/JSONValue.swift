// SPDX-License-Identifier: Apache-2.0

public import OrderedCollections

/// An object's members in the order in which they were written.
///
/// Two objects are equal when they hold equal members in the same order. To write one as a literal, or to use it in any
/// other way, a file also imports `OrderedCollections`.
public typealias JSONObject = OrderedDictionary<String, JSONValue>

/// A JSON document or a part of one.
///
/// Members keep their order, and numbers their kind and what they are worth: `1` parses as an integer and `1.0` as a
/// number, and each is written back as it was read. Numbers that would lose digits are kept as they are written.
///
/// ```swift
/// let value = try JSONValue(parsing: #"{"name": "add", "arguments": {"a": 1, "b": 2.0}}"#)
/// let name = value["name"]?.string  // "add"
/// let text = value["arguments"]?.text()  // {"a":1,"b":2.0}
/// ```
public enum JSONValue: Hashable, Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number written without fraction and exponent that fits `Int`.
    case integer(Int)
    /// Any other number that a double holds without loss: written with the fewest digits, it is worth the same.
    case number(Double)
    /// A number that neither holds.
    case decimal(JSONDecimal)
    /// A string.
    case string(String)
    /// A list of values.
    case array([JSONValue])
    /// Named values, in order.
    case object(JSONObject)
}
