// SPDX-License-Identifier: Apache-2.0

extension JSONValue {
    /// Whether this is `null`.
    public var isNull: Bool { self == .null }

    /// The value, or no value when this is `null`; `nil` as a literal would be `null` itself.
    package var unlessNull: JSONValue? { isNull ? Optional.none : self }

    /// The truth value, or nil when this is something else.
    public var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The integer, or nil when this is something else; `1.0` is not an integer.
    public var integer: Int? {
        if case .integer(let value) = self { value } else { nil }
    }

    /// The number, or the nearest double to it, whether written as an integer or not; nil when this is something else.
    public var number: Double? {
        switch self {
        case .number(let value): value
        case .integer(let value): Double(value)
        case .decimal(let value): value.nearest
        default: nil
        }
    }

    /// The string, or nil when this is something else.
    public var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The elements, or nil when this is something else.
    public var array: [JSONValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    /// The members, or nil when this is something else.
    public var object: JSONObject? {
        if case .object(let value) = self { value } else { nil }
    }

    /// The member of that name.
    ///
    /// Reading gives nil when there is none or this is no object. Writing replaces, adds or (with nil) removes a
    /// member, and does nothing when this is no object.
    public subscript(name: String) -> JSONValue? {
        get { object?[name] }
        set {
            guard case .object(var members) = self else { return }
            self = .null
            members[name] = newValue
            self = .object(members)
        }
    }

    /// The element at that index, or nil when there is none or this is no array.
    public subscript(index: Int) -> JSONValue? {
        guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
        return elements[index]
    }
}
