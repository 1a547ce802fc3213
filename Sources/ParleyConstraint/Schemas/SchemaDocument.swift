// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
import ParleyJSON

/// A schema with the subschemas that references can name.
struct SchemaDocument {
    let root: Subschema
    private let budget: CompilationBudget
    /// The subschemas that `$id` names, and the whole schema.
    private var resources: [URIReference: Subschema] = [:]
    /// The subschemas that `$anchor` and `$dynamicAnchor` name, by their whole URI.
    private var anchors: [URIReference: Subschema] = [:]
    /// How often each name is a `$dynamicAnchor`.
    private var dynamicAnchors: [ExactText: Int] = [:]

    init(_ value: JSONValue, budget: CompilationBudget) throws(ConstraintError) {
        self.budget = budget
        // A schema without a URI gets one that no schema can refer to.
        let nowhere = URIReference("parley:///")
        root = Subschema(path: "#", value: value, base: nowhere, budget: budget)
        resources[nowhere] = root
        try checkDepth(value, depth: budget.limits.schemaDepth)
        try collect(root)
    }

    private func checkDepth(_ value: JSONValue, depth: Int) throws(ConstraintError) {
        guard depth > 0 else {
            throw ConstraintError(.tooLarge, "The schema nests too deep; flatten it with $defs.", path: "#")
        }
        try budget.spend(1)
        switch value {
        case .object(let members): for value in members.values { try checkDepth(value, depth: depth - 1) }
        case .array(let elements): for value in elements { try checkDepth(value, depth: depth - 1) }
        default: break
        }
    }

    /// Finds named subschemas wherever a schema may stand, so not in `enum` or `const`.
    private mutating func collect(_ schema: Subschema) throws(ConstraintError) {
        try budget.spend(4)
        guard case .object(let members) = schema.value else { return }
        if let identifier = members["$id"] {
            guard let text = identifier.string, URIReference(text).fragment?.string.isEmpty ?? true else {
                throw schema.error(.invalidSchema, "$id", "The value must be a URI without a fragment.")
            }
            guard resources.updateValue(schema, forKey: schema.base) == nil else {
                throw schema.error(.invalidSchema, "$id", "Two schemas have the same name.")
            }
        }
        for keyword in ["$anchor", "$dynamicAnchor"] {
            guard let anchor = members[keyword] else { continue }
            guard let name = anchor.string, !name.isEmpty, !name.utf8.contains(UInt8(ascii: "/")) else {
                throw schema.error(.invalidSchema, keyword, "The value must be a name.")
            }
            try budget.spend(name.utf8.count + schema.base.length)
            var place = schema.base
            place.fragment = ExactText(name)
            if let other = anchors.updateValue(schema, forKey: place), other.path != schema.path {
                throw schema.error(.invalidSchema, keyword, "Two schemas have the same name.")
            }
            if keyword == "$dynamicAnchor" { dynamicAnchors[ExactText(name), default: 0] += 1 }
        }
        for (keyword, value) in members.elements {
            switch (SchemaKeywords.children[keyword], value) {
            case (.schema, _): try collect(schema.child(value, keyword))
            case (.list, .array(let elements)):
                for (index, element) in elements.enumerated() {
                    try collect(schema.child(element, keyword, String(index)))
                }
            case (.named, .object(let members)):
                for (name, member) in members.elements { try collect(schema.child(member, keyword, name)) }
            default: break
            }
        }
    }

    /// The subschema that a `$dynamicRef` names, where it does not depend on the dynamic scope.
    func resolveDynamic(_ reference: String, from source: Subschema) throws(ConstraintError) -> Subschema {
        let target = try resolve(reference, from: source, keyword: "$dynamicRef")
        let name = URIReference(reference).fragment ?? ""
        guard target.value["$dynamicAnchor"] == .string(name.string), dynamicAnchors[name] ?? 0 > 1 else {
            return target
        }
        throw source.error(
            .unsupported, "$dynamicRef", "There is more than one $dynamicAnchor of that name; use $ref.")
    }

    /// The subschema that a `$ref` names.
    func resolve(
        _ reference: String, from source: Subschema, keyword: String = "$ref"
    ) throws(ConstraintError) -> Subschema {
        try budget.spend(reference.utf8.count + source.base.length)
        var target = URIReference(reference).resolved(against: source.base)
        guard let resource = resources[target.document] else {
            throw source.error(
                .unsupported, keyword, "Only references within the schema are followed; put the schema into $defs.")
        }
        guard let pointer = Self.decodingPercents(target.fragment?.string ?? "") else {
            throw source.error(.invalidSchema, keyword, "The reference is no valid URI fragment.")
        }
        if pointer.isEmpty { return resource }
        guard pointer.utf8.first == UInt8(ascii: "/") else {
            target.fragment = ExactText(pointer)
            guard let anchor = anchors[target] else {
                throw source.error(.invalidSchema, keyword, "There is no $anchor of that name in the schema.")
            }
            return anchor
        }
        var place = resource
        for token in pointer.unicodeScalars.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            try budget.spend(4)
            let name = Self.unescape(Substring(token))
            let value: JSONValue? =
                switch place.value {
                case .object(let members): members[name]
                case .array(let elements): Int(name).flatMap { elements.indices.contains($0) ? elements[$0] : nil }
                default: nil
                }
            guard let value else {
                throw source.error(.invalidSchema, keyword, "There is nothing at that place of the schema.")
            }
            place = place.child(value, name)
        }
        return place
    }

    private static func unescape(_ token: Substring) -> String {
        var result = ""
        var rest = token.unicodeScalars
        while let character = rest.popFirst() {
            if character == "~", rest.first == "1" || rest.first == "0" {
                result += rest.popFirst() == "1" ? "/" : "~"
            } else {
                result.unicodeScalars.append(character)
            }
        }
        return result
    }

    private static func decodingPercents(_ text: String) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2, let value = UInt8(String(Substring(rest.prefix(2))), radix: 16) else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
