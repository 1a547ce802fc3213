// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
public import ParleyConversation
import ParleyJSON

extension SchemaBuilder {
    /// Describes a struct as an object with these properties and no others, in this order.
    public mutating func object(
        _ type: Any.Type, description: String? = nil, _ describe: (inout ObjectSchema) -> Void
    ) -> JSONSchema {
        define(type) { builder in Self.object(description, &builder, describe) }
    }

    /// Describes an enum as one of its raw values, which are strings.
    public mutating func values(_ type: Any.Type, of texts: [String], description: String? = nil) -> JSONSchema {
        define(type) { _ in JSONSchema.string(description: description, oneOf: texts).value }
    }

    /// Describes an enum as one of its raw values, which are integers.
    public mutating func values(
        _ type: Any.Type, of numbers: [some BinaryInteger], description: String? = nil
    ) -> JSONSchema {
        define(type) { _ in
            var schema = JSONSchema.integer(description: description).value
            schema["enum"] = .array(numbers.map { JSONValue($0) })
            return schema
        }
    }

    /// Describes an enum as an object with one member, which has the name of the case and contains the associated
    /// values.
    public mutating func cases(
        _ type: Any.Type, description: String? = nil, _ describe: (inout CaseSchemas) -> Void
    ) -> JSONSchema {
        define(type) { builder in
            var cases = CaseSchemas(builder: builder)
            describe(&cases)
            builder = cases.builder
            return JSONSchema.anyOf(cases.schemas, description: description).value
        }
    }

    fileprivate static func object(
        _ description: String?, _ builder: inout SchemaBuilder, _ describe: (inout ObjectSchema) -> Void
    ) -> JSONValue {
        var object = ObjectSchema(builder: builder)
        describe(&object)
        builder = object.builder
        var members: JSONObject = ["type": "object"]
        if let description { members["description"] = .string(description) }
        members["properties"] = .object(object.properties)
        members["required"] = .array(object.required.map(JSONValue.string))
        members["additionalProperties"] = false
        return .object(members)
    }
}

/// The properties of an object that is being described, in order.
public struct ObjectSchema {
    fileprivate var builder: SchemaBuilder
    fileprivate var properties: JSONObject = [:]
    fileprivate var required: [String] = []

    fileprivate init(builder: SchemaBuilder) {
        self.builder = builder
    }

    /// Adds a property.
    public mutating func property<T: Generatable>(
        _ name: String, _ type: T.Type, isRequired: Bool = true, description: String? = nil,
        rules: [GenerationRule] = []
    ) {
        var schema = T.schema(in: &builder).value
        for rule in rules { rule.apply(to: &schema) }
        if let description { schema["description"] = .string(description) }
        properties[name] = schema
        if isRequired { required.append(name) }
    }
}

/// The cases of an enum that is being described, in order.
public struct CaseSchemas {
    fileprivate var builder: SchemaBuilder
    fileprivate var schemas: [JSONSchema] = []

    fileprivate init(builder: SchemaBuilder) {
        self.builder = builder
    }

    /// Adds a case with its associated values.
    public mutating func add(_ name: String, _ describe: (inout ObjectSchema) -> Void = { _ in }) {
        let values = SchemaBuilder.object(nil, &builder, describe)
        schemas.append(
            JSONSchema([
                "type": "object", "properties": .object([name: values]), "required": [.string(name)],
                "additionalProperties": false,
            ]))
    }
}
