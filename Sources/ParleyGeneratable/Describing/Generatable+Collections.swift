// SPDX-License-Identifier: Apache-2.0

public import ParleyConversation
import ParleyJSON

extension Array: Generatable where Element: Generatable {
    /// A list; while it is being generated, its elements so far.
    public typealias Partial = [Element.Partial]

    /// A list.
    public static func schema(in builder: inout SchemaBuilder) -> JSONSchema {
        .array(of: Element.schema(in: &builder))
    }

    /// Reads the elements so far.
    public static func partial(from value: PartialValue) -> [Element.Partial]? {
        value.elements?.compactMap(Element.partial)
    }
}

extension Dictionary: Generatable where Key == String, Value: Generatable {
    /// A map; while it is being generated, its values so far.
    public typealias Partial = [String: Value.Partial]

    /// An object with any names.
    public static func schema(in builder: inout SchemaBuilder) -> JSONSchema {
        JSONSchema(["type": "object", "additionalProperties": Value.schema(in: &builder).value])
    }

    /// Reads the values so far.
    public static func partial(from value: PartialValue) -> [String: Value.Partial]? {
        value.members?.reduce(into: [:]) { $0[$1.name] = Value.partial(from: $1.value) }
    }
}

extension Optional: Generatable where Wrapped: Generatable {
    /// The value so far, if it is not null.
    public typealias Partial = Wrapped.Partial?

    /// A value or null. An optional property is left out instead.
    public static func schema(in builder: inout SchemaBuilder) -> JSONSchema {
        .anyOf([Wrapped.schema(in: &builder), .null])
    }

    /// Reads the value so far.
    public static func partial(from value: PartialValue) -> Wrapped.Partial?? {
        value.isNull ? .some(nil) : Wrapped.partial(from: value).map { .some($0) }
    }
}
