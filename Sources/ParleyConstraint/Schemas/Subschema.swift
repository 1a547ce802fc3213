// SPDX-License-Identifier: Apache-2.0

import ParleyJSON

/// A schema and where it stands.
struct Subschema {
    /// The JSON pointer to it, such as `#/properties/name`; two subschemas are the same when their paths are.
    var path: String
    var value: JSONValue

    /// The subschema under a keyword, and under a name or index below it.
    func child(_ value: JSONValue, _ keyword: String, _ rest: String...) -> Subschema {
        let tokens = [keyword] + rest
        return Subschema(path: path + tokens.map { "/" + Self.escape($0) }.joined(), value: value)
    }

    func error(_ code: ConstraintError.Code, _ keyword: String, _ message: String) -> ConstraintError {
        ConstraintError(code, message, keyword: keyword, path: path)
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
