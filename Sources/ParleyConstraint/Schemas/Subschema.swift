// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
import ParleyJSON

/// A schema and its place in the document.
struct Subschema {
    /// The JSON pointer to it, such as `#/properties/name`; two subschemas are the same when their paths are. Derived
    /// schemas have `~!` in their paths, which no pointer has. Non-ASCII characters are spelled with `~u`, so that
    /// paths are the same only where the code points of their names are.
    private(set) var path: String
    let value: JSONValue
    private var resource: Resource

    /// What the schemas below the same `$id` share.
    private final class Resource {
        let base: URIReference
        let budget: CompilationBudget

        init(_ base: URIReference, _ budget: CompilationBudget) {
            self.base = base
            self.budget = budget
        }
    }

    /// The URI against which its references are resolved.
    var base: URIReference { resource.base }

    init(path: String, value: JSONValue, base: URIReference, budget: CompilationBudget) {
        self.init(path: path, value: value, resource: Resource(base, budget))
    }

    /// Each costs what its path and name cost to write and to compare, however often it is made.
    private init(path: String, value: JSONValue, resource: Resource) {
        self.path = path
        self.value = value
        self.resource = resource
        resource.budget.owe(1 + path.utf8.count / 8)
        if let identifier = value["$id"]?.string {
            resource.budget.owe(identifier.utf8.count + base.length)
            self.resource = Resource(URIReference(identifier).resolved(against: base).document, resource.budget)
        }
    }

    /// The subschema under a keyword, and under a name or index below it.
    func child(_ value: JSONValue, _ keyword: String, _ rest: String...) -> Subschema {
        let tokens = [keyword] + rest
        return Subschema(
            path: path + tokens.map { "/" + Self.escape($0) }.joined(), value: value, resource: resource)
    }

    /// A schema derived from this one, which is not in the document.
    func derived(_ name: String, _ value: JSONValue) -> Subschema {
        Subschema(path: path + "~!" + Self.escape(name), value: value, resource: resource)
    }

    /// Whether it is derived, not in the document; it then evaluates no properties.
    var isDerived: Bool { path.utf8.contains(UInt8(ascii: "!")) && Self.derivation(in: path) != nil }

    func error(_ code: ConstraintError.Code, _ keyword: String, _ message: String) -> ConstraintError {
        ConstraintError(code, message, keyword: keyword, path: place)
    }

    /// Where a path says that the schema is derived.
    private static func derivation(in path: String) -> String.Index? {
        let bytes = path.utf8
        return bytes.indices.first { index in
            bytes[index] == UInt8(ascii: "!") && index > bytes.startIndex
                && bytes[bytes.index(before: index)] == UInt8(ascii: "~")
        }.map { bytes.index(before: $0) }
    }

    /// The pointer to it, or to the schema it is derived from.
    var place: String {
        guard path.utf8.contains(UInt8(ascii: "~")) else { return path }
        var place = ""
        var rest = path[..<(Self.derivation(in: path) ?? path.endIndex)].unicodeScalars
        while let scalar = rest.popFirst() {
            guard scalar == "~", rest.first == "u" else {
                place.unicodeScalars.append(scalar)
                continue
            }
            let digits = rest.dropFirst().prefix { $0 != ";" }
            rest = rest[digits.endIndex...].dropFirst()
            UInt32(String(digits), radix: 16).flatMap(Unicode.Scalar.init).map { place.unicodeScalars.append($0) }
        }
        return place
    }

    /// A name as a token of a JSON pointer (RFC 6901).
    private static func escape(_ token: String) -> String {
        guard token.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") || $0 >= 0x80 }) else {
            return token
        }
        var result = ""
        for character in token.unicodeScalars {
            switch character {
            case "~": result += "~0"
            case "/": result += "~1"
            case "\u{80}"...: result += "~u" + String(character.value, radix: 16) + ";"
            default: result.unicodeScalars.append(character)
            }
        }
        return result
    }
}
