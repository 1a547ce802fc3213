// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
import ParleyJSON

/// A schema with all that it refers to.
struct SchemaDocument {
    let root: Subschema
    private let identifier: String?
    private let budget: CompilationBudget
    /// The subschemas that `$anchor` names.
    private var anchors: [String: Subschema] = [:]

    init(_ value: JSONValue, budget: CompilationBudget) throws(ConstraintError) {
        root = Subschema(path: "#", value: value)
        self.budget = budget
        identifier = value["$id"]?.string
        try collectAnchors(root, depth: budget.limits.schemaDepth)
    }

    private mutating func collectAnchors(_ place: Subschema, depth: Int) throws(ConstraintError) {
        guard depth > 0 else {
            throw ConstraintError(.tooLarge, "The schema nests too deep; flatten it with $defs.", path: place.path)
        }
        try budget.spend(4 + place.path.utf8.count / 8)
        switch place.value {
        case .object(let members):
            if let anchor = members["$anchor"]?.string { anchors[anchor] = place }
            for (name, value) in members.elements { try collectAnchors(place.child(value, name), depth: depth - 1) }
        case .array(let elements):
            for (index, value) in elements.enumerated() {
                try collectAnchors(place.child(value, String(index)), depth: depth - 1)
            }
        default: break
        }
    }

    /// The subschema that a `$ref` names.
    func resolve(_ reference: String, from source: Subschema) throws(ConstraintError) -> Subschema {
        var fragment = Substring(reference)
        if let identifier, !identifier.isEmpty, fragment.hasPrefix(identifier) {
            fragment = fragment.dropFirst(identifier.count)
        }
        guard fragment.isEmpty || fragment.hasPrefix("#") else {
            throw source.error(
                .unsupported, "$ref", "Only references within the schema are followed; put the schema into $defs.")
        }
        guard let pointer = Self.decodingPercents(fragment.dropFirst()) else {
            throw source.error(.invalidSchema, "$ref", "The reference is no valid URI fragment.")
        }
        if pointer.isEmpty { return root }
        guard pointer.hasPrefix("/") else {
            guard let target = anchors[pointer] else {
                throw source.error(.invalidSchema, "$ref", "There is no $anchor of that name in the schema.")
            }
            return target
        }
        var place = root
        for token in pointer.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            let name = Self.unescape(token)
            let value: JSONValue? =
                switch place.value {
                case .object(let members): members[name]
                case .array(let elements): Int(name).flatMap { elements.indices.contains($0) ? elements[$0] : nil }
                default: nil
                }
            guard let value else {
                throw source.error(.invalidSchema, "$ref", "There is nothing at that place of the schema.")
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

    private static func decodingPercents(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8
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
