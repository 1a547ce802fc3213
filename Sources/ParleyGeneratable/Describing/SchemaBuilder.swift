// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
import ParleyConversation
import ParleyJSON

/// Builds the JSON Schema of a ``Generatable`` type and of the types it contains.
///
/// It is called by code that ``Generatable(_:)`` generates. To write a conformance yourself, describe the type with
/// ``object(_:description:_:)`` or return a schema of your own.
public struct SchemaBuilder {
    private var names: [ObjectIdentifier: String] = [:]
    /// The schemas of named types, and how often each is referenced.
    private var definitions: OrderedDictionary<String, (schema: JSONValue, uses: Int)> = [:]

    private static let prefix = "#/$defs/"

    private init() {}

    /// The schema of a type, including the definitions that it references.
    static func schema<T: Generatable>(of type: T.Type) -> JSONSchema {
        var builder = SchemaBuilder()
        let root = T.schema(in: &builder).value
        return JSONSchema(builder.document(root))
    }

    /// Describes a type the first time it occurs, and returns a reference to its definition.
    mutating func define(_ type: Any.Type, _ describe: (inout SchemaBuilder) -> JSONValue) -> JSONSchema {
        let name: String
        if let known = names[ObjectIdentifier(type)] {
            name = known
        } else {
            name = freeName(for: type)
            names[ObjectIdentifier(type)] = name
            definitions[name] = (.null, 0)
            let schema = describe(&self)
            definitions[name]?.schema = schema
        }
        definitions[name]?.uses += 1
        return JSONSchema(["$ref": .string(Self.prefix + name)])
    }

    /// Returns a name that no other type has and that needs no escaping in a reference.
    private func freeName(for type: Any.Type) -> String {
        let name = String(
            String.UnicodeScalarView(
                String(describing: type).unicodeScalars.map { scalar in
                    scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
                        ? scalar : "_"
                }))
        guard definitions[name] != nil else { return name }
        var number = 2
        while definitions["\(name)\(number)"] != nil { number += 1 }
        return "\(name)\(number)"
    }

    /// The complete schema. A definition with a single reference replaces that reference; a recursive definition always
    /// has at least two references.
    private func document(_ root: JSONValue) -> JSONValue {
        var document = inlined(root)
        let shared = definitions.elements.filter { $0.value.uses > 1 }
        guard !shared.isEmpty else { return document }
        var schemas: JSONObject = [:]
        for (name, definition) in shared { schemas[name] = inlined(definition.schema) }
        document["$defs"] = .object(schemas)
        return document
    }

    private func inlined(_ value: JSONValue) -> JSONValue {
        switch value {
        case .array(let elements): return .array(elements.map(inlined))
        case .object(let members):
            guard let reference = members["$ref"]?.string, reference.hasPrefix(Self.prefix),
                let definition = definitions[String(reference.dropFirst(Self.prefix.count))], definition.uses == 1
            else { return .object(members.mapValues(inlined)) }
            var schema = inlined(definition.schema)
            // The property's description takes precedence over that of its type.
            if let description = members["description"] { schema["description"] = description }
            return schema
        default: return value
        }
    }
}
