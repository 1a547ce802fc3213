// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
import ParleyJSON

/// What is known about the keywords of JSON Schema 2020-12.
enum SchemaKeywords {
    /// Keywords that are obeyed.
    private static let supported: Set<String> = [
        "$ref", "$defs", "definitions", "$anchor", "type", "enum", "const", "anyOf", "oneOf", "allOf", "properties",
        "required", "additionalProperties", "minProperties", "maxProperties", "items", "prefixItems", "minItems",
        "maxItems", "minLength", "maxLength", "pattern", "format", "minimum", "maximum", "exclusiveMinimum",
        "exclusiveMaximum", "multipleOf",
    ]

    /// Keywords that describe and do not restrict.
    private static let annotations: Set<String> = [
        "$schema", "$id", "id", "$comment", "$vocabulary", "title", "description", "default", "example", "examples",
        "deprecated", "readOnly", "writeOnly", "contentMediaType", "contentEncoding", "contentSchema",
    ]

    /// What to do instead of the keywords that people do use.
    private static let advice: [String: String] = [
        "patternProperties": "Name the properties, or use additionalProperties.",
        "propertyNames": "Name the properties in properties.",
        "unevaluatedProperties": "Merge the parts into one schema with additionalProperties.",
        "unevaluatedItems": "Use items beside prefixItems.",
        "not": "Say what is allowed instead.",
        "if": "Use anyOf with one branch for each case.",
        "then": "Use anyOf with one branch for each case.",
        "else": "Use anyOf with one branch for each case.",
        "contains": "Use prefixItems or items.",
        "dependentRequired": "Use anyOf with one branch for each case.",
        "dependentSchemas": "Use anyOf with one branch for each case.",
        "dependencies": "Use anyOf with one branch for each case.",
        "additionalItems": "Use prefixItems and items, as 2020-12 has it.",
        "$dynamicRef": "Use $ref.",
        "nullable": "Add null to type, as 2020-12 has it.",
    ]

    /// Refuses what is neither obeyed nor a mere annotation.
    static func check(_ schema: Subschema) throws(ConstraintError) {
        guard case .object(let members) = schema.value else { return }
        for (keyword, value) in members.elements {
            if supported.contains(keyword) || annotations.contains(keyword) || keyword.hasPrefix("x-") { continue }
            switch (keyword, value) {
            // These restrict nothing.
            case ("uniqueItems", .bool(false)), ("nullable", .bool(false)): continue
            case ("minContains", _) where members["contains"] == nil: continue
            case ("maxContains", _) where members["contains"] == nil: continue
            case ("then", _) where members["if"] == nil: continue
            case ("else", _) where members["if"] == nil: continue
            default:
                let remedy = advice[keyword] ?? "Remove it, or call it x-\(keyword) if it only annotates."
                throw schema.error(.unsupported, keyword, "The keyword is not supported. \(remedy)")
            }
        }
    }
}
