// SPDX-License-Identifier: Apache-2.0

public import ParleyConversation
import ParleyJSON

extension Array: Generatable where Element: Generatable {
    /// An array of the elements generated so far.
    public typealias Partial = [Element.Partial]

    /// Describes an array.
    public static func schema(in builder: inout SchemaBuilder) -> JSONSchema {
        .array(of: Element.schema(in: &builder))
    }

    /// Reads the elements generated so far.
    public static func partial(from value: PartialValue) -> [Element.Partial]? {
        value.elements?.compactMap(Element.partial)
    }
}

extension Dictionary: Generatable where Key == String, Value: Generatable {
    /// A dictionary of the values generated so far.
    public typealias Partial = [String: Value.Partial]

    /// Describes an object with any member names.
    public static func schema(in builder: inout SchemaBuilder) -> JSONSchema {
        JSONSchema(["type": "object", "additionalProperties": Value.schema(in: &builder).value])
    }

    /// Reads the values generated so far.
    public static func partial(from value: PartialValue) -> [String: Value.Partial]? {
        value.members?.reduce(into: [:]) { $0[$1.name] = Value.partial(from: $1.value) }
    }
}

extension Optional: Generatable where Wrapped: Generatable {
    /// The value generated so far, or null.
    public typealias Partial = Wrapped.Partial?

    /// Describes a value or null; an optional property of a struct is instead left out.
    public static func schema(in builder: inout SchemaBuilder) -> JSONSchema {
        .anyOf([Wrapped.schema(in: &builder), .null])
    }

    /// Reads the value generated so far.
    public static func partial(from value: PartialValue) -> Wrapped.Partial?? {
        value.isNull ? .some(nil) : Wrapped.partial(from: value).map { .some($0) }
    }
}
