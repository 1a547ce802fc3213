// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
import ParleyJSON

/// A schema and where it stands.
struct Subschema {
    /// The JSON pointer to it, such as `#/properties/name`; two subschemas are the same when their paths are. What is
    /// derived from a schema has `~!` in its path, which no pointer has.
    private(set) var path: String
    let value: JSONValue
    private var resource: Resource

    /// What several schemas share that stand below the same `$id`.
    private final class Resource {
        let base: URIReference

        init(_ base: URIReference) { self.base = base }
    }

    /// The URI against which its references are resolved.
    var base: URIReference { resource.base }

    init(path: String, value: JSONValue, base: URIReference) {
        self.init(path: path, value: value, resource: Resource(base))
    }

    private init(path: String, value: JSONValue, resource: Resource) {
        self.path = path
        self.value = value
        self.resource = resource
        if let identifier = value["$id"]?.string {
            self.resource = Resource(URIReference(identifier).resolved(against: base).document)
        }
    }

    /// The subschema under a keyword, and under a name or index below it.
    func child(_ value: JSONValue, _ keyword: String, _ rest: String...) -> Subschema {
        let tokens = [keyword] + rest
        return Subschema(
            path: path + tokens.map { "/" + Self.escape($0) }.joined(), value: value, resource: resource)
    }

    /// A schema that follows from this one, and is written nowhere.
    func derived(_ name: String, _ value: JSONValue) -> Subschema {
        Subschema(path: path + "~!" + Self.escape(name), value: value, resource: resource)
    }

    /// Whether it is written nowhere; what it says of properties then evaluates none.
    var isDerived: Bool { path.utf8.contains(UInt8(ascii: "!")) && path.contains("~!") }

    func error(_ code: ConstraintError.Code, _ keyword: String, _ message: String) -> ConstraintError {
        ConstraintError(code, message, keyword: keyword, path: place)
    }

    /// The pointer to it, or to what it follows from.
    var place: String {
        guard isDerived else { return path }
        var place = ""
        for scalar in path.unicodeScalars {
            if scalar == "!", place.hasSuffix("~") {
                place.removeLast()
                break
            }
            place.unicodeScalars.append(scalar)
        }
        return place
    }

    /// A name as a token of a JSON pointer (RFC 6901).
    private static func escape(_ token: String) -> String {
        guard token.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) else { return token }
        var result = ""
        for character in token.unicodeScalars {
            switch character {
            case "~": result += "~0"
            case "/": result += "~1"
            default: result.unicodeScalars.append(character)
            }
        }
        return result
    }
}
