// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
import ParleyJSON

extension SchemaBranches {
    /// The ways in which a value may violate a schema: one violated keyword is enough.
    func negation(of source: Pending, _ members: JSONObject) throws(ConstraintError) -> [[Pending]] {
        let schema = source.schema
        var options: [[Pending]] = []
        func breaks(_ name: String, _ value: JSONValue) {
            options.append([source.followed(by: schema.derived("not " + name, value))])
        }
        func not(_ child: Subschema) -> Pending { source.followed(by: child, isNegated: true) }
        for target in try references(of: schema, members) { options.append([not(target)]) }
        for (keyword, value) in members.elements {
            switch keyword {
            case "allOf": options += try children(keyword, of: schema).map { [not($0)] }
            case "anyOf": options.append(try children(keyword, of: schema).map(not))
            case "oneOf":
                let children = try children(keyword, of: schema)
                try requireFewBranches(children.count, of: schema)
                options.append(children.map(not))
                for first in children.indices {
                    for second in children.indices.dropFirst(first + 1) {
                        options.append([source.followed(by: children[first]), source.followed(by: children[second])])
                    }
                }
            case "not": options.append([source.followed(by: schema.child(value, keyword))])
            case "if":
                let condition = schema.child(value, keyword)
                if let then = members["then"] {
                    options.append([source.followed(by: condition), not(schema.child(then, "then"))])
                }
                if let otherwise = members["else"] {
                    options.append([not(condition), not(schema.child(otherwise, "else"))])
                }
            case "then", "else", "minContains", "maxContains", "$ref", "$dynamicRef": break
            case "type":
                let left = JSONKinds.all.subtracting(try SchemaFacts.kinds(value, schema))
                if !left.isEmpty { breaks(keyword, ["~kinds": .integer(Int(left.rawValue))]) }
            case "enum", "const":
                guard let values = keyword == "const" ? [value] : value.array else {
                    throw schema.error(.invalidSchema, keyword, "The value must be a list.")
                }
                for (index, value) in try exclusion(of: values, schema).enumerated() {
                    breaks("\(keyword) \(index)", value)
                }
            case "minimum": breaks(keyword, ["~kinds": .kinds(.number), "exclusiveMaximum": value])
            case "maximum": breaks(keyword, ["~kinds": .kinds(.number), "exclusiveMinimum": value])
            case "exclusiveMinimum": breaks(keyword, ["~kinds": .kinds(.number), "maximum": value])
            case "exclusiveMaximum": breaks(keyword, ["~kinds": .kinds(.number), "minimum": value])
            case "minLength", "minItems", "minProperties":
                let count = try SchemaFacts.count(keyword, value, schema)
                let opposite = "max" + keyword.dropFirst(3)
                if count > 0 { breaks(keyword, ["~kinds": .kinds(of: keyword), opposite: .integer(count - 1)]) }
            case "maxLength", "maxItems", "maxProperties":
                let count = try SchemaFacts.count(keyword, value, schema)
                breaks(keyword, ["~kinds": .kinds(of: keyword), "min" + keyword.dropFirst(3): .integer(count + 1)])
            case "pattern": breaks(keyword, ["~kinds": .kinds(.string), "~notPattern": value])
            case "required":
                for name in try SchemaFacts.names(keyword, value, schema) {
                    breaks("required " + name, ["type": "object", "properties": .object([name: false])])
                }
            case "properties":
                for (name, value) in try named(keyword, of: schema) {
                    breaks(
                        "property " + name,
                        [
                            "type": "object", "required": [.string(name)],
                            "properties": .object([name: .object(["not": value])]),
                        ])
                }
            case "prefixItems":
                for (index, element) in try children(keyword, of: schema).enumerated() {
                    try budget.spend(8 * (index + 1))
                    let prefix = Array(repeating: JSONValue.bool(true), count: index) + [["not": element.value]]
                    breaks(
                        "element \(index)",
                        ["type": "array", "minItems": .integer(index + 1), "prefixItems": .array(prefix)])
                }
            case "items" where value == true || value == [:]: break
            case "items" where members["prefixItems"] == nil:
                breaks(keyword, ["type": "array", "contains": .object(["not": value])])
            case "contains" where members["minContains"] == nil && members["maxContains"] == nil:
                breaks(keyword, ["type": "array", "items": .object(["not": value])])
            case "uniqueItems": guard value == false else { throw refusal(of: keyword, schema) }
            case "additionalProperties", "unevaluatedProperties", "unevaluatedItems", "propertyNames":
                guard value == true || value == [:] else { throw refusal(of: keyword, schema) }
            case "dependentRequired":
                for (name, names) in try dependencies(of: schema) {
                    for other in names {
                        breaks(
                            "dependency " + JSONValue.array([.string(name), .string(other)]).text(),
                            [
                                "type": "object", "required": [.string(name)],
                                "properties": .object([other: false]),
                            ])
                    }
                }
            case "dependentSchemas":
                for (name, value) in try named(keyword, of: schema) {
                    options.append([
                        source.followed(by: presence(of: [name], in: schema)),
                        not(schema.child(value, keyword, name)),
                    ])
                }
            case _ where SchemaKeywords.isAnnotation(keyword): break
            case "$anchor", "$dynamicAnchor", "$id", "$schema", "$defs", "definitions", "nullable":
                break
            default: throw refusal(of: keyword, schema)
            }
        }
        return options
    }

    private func refusal(of keyword: String, _ schema: Subschema) -> ConstraintError {
        schema.error(
            .unsupported, keyword,
            "The negation of this keyword, which a not, an if or a oneOf with overlapping branches needs, is not supported; "
                + "say what is allowed instead.")
    }

    /// Schemas of which one holds for every value but the given ones.
    private func exclusion(of values: [JSONValue], _ schema: Subschema) throws(ConstraintError) -> [JSONValue] {
        try budget.spend(values.count, times: 16)
        var left = JSONKinds.all
        var numbers: [DecimalNumber: JSONValue] = [:]
        var texts: [JSONValue] = []
        var words: Set<Bool> = []
        var options: [JSONValue] = []
        for value in values {
            switch value {
            case .null: left.remove(.null)
            case .bool(let word): words.insert(word)
            case .integer, .number, .decimal:
                guard let decimal = DecimalNumber(value) else { throw refusal(of: "const", schema) }
                numbers[decimal] = value
            case .string: texts.append(value)
            case .array(let elements):
                guard elements.isEmpty else { throw refusal(of: "const", schema) }
                if left.contains(.array) { options.append(["type": "array", "minItems": 1]) }
                left.remove(.array)
            case .object(let members):
                guard members.isEmpty else { throw refusal(of: "const", schema) }
                if left.contains(.object) { options.append(["type": "object", "minProperties": 1]) }
                left.remove(.object)
            }
        }
        if !words.isEmpty {
            left.remove(.boolean)
            if words.count == 1 { options.append(["const": .bool(!words.contains(true))]) }
        }
        if !numbers.isEmpty {
            left.subtract(.number)
            let sorted = numbers.sorted { $0.key < $1.key }.map(\.value)
            for index in 0...sorted.count {
                var interval: JSONValue = ["~kinds": .kinds(.number)]
                if index > 0 { interval["exclusiveMinimum"] = sorted[index - 1] }
                if index < sorted.count { interval["exclusiveMaximum"] = sorted[index] }
                options.append(interval)
            }
        }
        if !texts.isEmpty {
            left.remove(.string)
            options.append(["~kinds": .kinds(.string), "~notTexts": .array(texts)])
        }
        if !left.isEmpty { options.append(["~kinds": .kinds(left)]) }
        return options
    }
}

extension JSONValue {
    /// Kinds of values, as derived schemas name them.
    fileprivate static func kinds(_ kinds: JSONKinds) -> JSONValue { .integer(Int(kinds.rawValue)) }

    /// The kind whose size a keyword bounds.
    fileprivate static func kinds(of keyword: String) -> JSONValue {
        .kinds(keyword.hasSuffix("Length") ? .string : keyword.hasSuffix("Items") ? .array : .object)
    }
}
