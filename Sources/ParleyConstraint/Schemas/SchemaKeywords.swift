// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
import ParleyJSON

/// The keywords of JSON Schema 2020-12 and how they are treated.
enum SchemaKeywords {
    /// How a keyword holds schemas.
    enum Children {
        case schema, list, named
    }

    /// The keywords that hold schemas.
    static let children: [String: Children] = [
        "$defs": .named, "definitions": .named, "properties": .named, "patternProperties": .named,
        "dependentSchemas": .named, "allOf": .list, "anyOf": .list, "oneOf": .list, "prefixItems": .list,
        "not": .schema, "if": .schema, "then": .schema, "else": .schema, "items": .schema, "contains": .schema,
        "additionalProperties": .schema, "propertyNames": .schema, "unevaluatedProperties": .schema,
        "unevaluatedItems": .schema,
    ]

    /// Keywords that are enforced, beside those that hold schemas.
    private static let supported: Set<String> = [
        "$ref", "$dynamicRef", "$anchor", "$dynamicAnchor", "$id", "$schema", "type", "enum", "const", "required",
        "dependentRequired", "minProperties", "maxProperties", "minItems", "maxItems", "uniqueItems", "minContains",
        "maxContains",
        "minLength", "maxLength", "pattern", "format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
        "multipleOf",
    ]

    /// Keywords that describe and do not restrict.
    static let annotations: Set<String> = [
        "id", "$comment", "$vocabulary", "title", "description", "default", "example", "examples", "deprecated",
        "readOnly", "writeOnly", "contentMediaType", "contentEncoding", "contentSchema",
    ]

    /// The accepted values of `$schema`. Dialects before 2020-12 are read as if they were it; their own keywords are
    /// refused.
    private static let dialects: Set<String> = [
        "https://json-schema.org/draft/2020-12/schema", "https://json-schema.org/draft/2019-09/schema",
        "http://json-schema.org/draft-07/schema", "http://json-schema.org/draft-06/schema",
        "http://json-schema.org/draft-04/schema", "http://json-schema.org/schema",
    ]

    /// Advice for keywords that people use but that are not supported.
    private static let advice: [String: String] = [
        "dependencies": "Use dependentRequired or dependentSchemas, as 2020-12 has it.",
        "additionalItems": "Use prefixItems and items, as 2020-12 has it.",
        "nullable": "Add null to type, as 2020-12 has it.",
    ]

    /// Throws for keywords that are neither enforced nor annotations.
    static func check(_ schema: Subschema) throws(ConstraintError) {
        guard case .object(let members) = schema.value else { return }
        for (keyword, value) in members.elements {
            if children[keyword] != nil || supported.contains(keyword) || isAnnotation(keyword) { continue }
            switch (keyword, value) {
            // This restricts nothing.
            case ("nullable", .bool(false)): continue
            case ("~kinds", _) where schema.isDerived, ("~notPattern", _) where schema.isDerived,
                ("~notTexts", _) where schema.isDerived:
                continue
            default:
                let remedy = advice[keyword] ?? "Remove it, or call it x-\(keyword) if it only annotates."
                throw schema.error(.unsupported, keyword, "The keyword is not supported. \(remedy)")
            }
        }
        guard let dialect = members["$schema"] else { return }
        guard let name = dialect.string, dialects.contains(name.last == "#" ? String(name.dropLast()) : name) else {
            throw schema.error(.unsupported, "$schema", "The dialect is not known; use JSON Schema 2020-12.")
        }
    }

    /// Whether a keyword restricts nothing.
    static func isAnnotation(_ keyword: String) -> Bool {
        annotations.contains(keyword) || keyword.hasPrefix("x-")
    }
}
