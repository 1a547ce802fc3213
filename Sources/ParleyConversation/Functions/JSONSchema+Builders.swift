// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
import ParleyJSON

extension JSONSchema {
    /// A string, one of `values` where they are given.
    public static func string(description: String? = nil, oneOf values: [String]? = nil) -> JSONSchema {
        typed("string", description, ["enum": values.map { .array($0.map(JSONValue.string)) }])
    }

    /// An integer.
    public static func integer(description: String? = nil, minimum: Int? = nil, maximum: Int? = nil) -> JSONSchema {
        typed(
            "integer", description,
            ["minimum": minimum.map(JSONValue.integer), "maximum": maximum.map(JSONValue.integer)])
    }

    /// A number.
    public static func number(
        description: String? = nil, minimum: Double? = nil, maximum: Double? = nil
    ) -> JSONSchema {
        typed(
            "number", description, ["minimum": minimum.map(JSONValue.number), "maximum": maximum.map(JSONValue.number)])
    }

    /// `true` or `false`.
    public static func boolean(description: String? = nil) -> JSONSchema {
        typed("boolean", description)
    }

    /// `null`.
    public static let null = typed("null", nil)

    /// A list.
    public static func array(
        of items: JSONSchema, description: String? = nil, minItems: Int? = nil, maxItems: Int? = nil
    ) -> JSONSchema {
        typed(
            "array", description,
            [
                "items": items.value, "minItems": minItems.map(JSONValue.integer),
                "maxItems": maxItems.map(JSONValue.integer),
            ])
    }

    /// An object with these properties and no others, written in this order.
    ///
    /// - Parameters:
    ///   - properties: the properties' names and schemas.
    ///   - required: the properties that must be there; nil requires all.
    ///   - description: what the object means, for the model to read.
    /// - Returns: the schema.
    public static func object(
        _ properties: KeyValuePairs<String, JSONSchema>, required: [String]? = nil, description: String? = nil
    ) -> JSONSchema {
        object(Array(properties), required: required, description: description)
    }

    /// An object with the properties in a list. Of several with the same name the last one is used.
    static func object(
        _ properties: [(key: String, value: JSONSchema)], required: [String]?, description: String? = nil
    ) -> JSONSchema {
        var members: JSONObject = [:]
        for (name, schema) in properties { members[name] = schema.value }
        let names = required ?? Array(members.keys)
        return typed(
            "object", description,
            [
                "properties": .object(members), "required": .array(names.map(JSONValue.string)),
                "additionalProperties": false,
            ])
    }

    /// A value that satisfies one of the schemas.
    public static func anyOf(_ schemas: [JSONSchema], description: String? = nil) -> JSONSchema {
        var members: JSONObject = [:]
        if let description { members["description"] = .string(description) }
        members["anyOf"] = .array(schemas.map(\.value))
        return JSONSchema(.object(members))
    }

    private static func typed(
        _ type: String, _ description: String?, _ others: OrderedDictionary<String, JSONValue?> = [:]
    ) -> JSONSchema {
        var members: JSONObject = ["type": .string(type)]
        if let description { members["description"] = .string(description) }
        for case (let name, let value?) in others { members[name] = value }
        return JSONSchema(.object(members))
    }
}
