// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
import ParleyJSON

/// Writes values in Python's notation.
enum PythonLiteral {
    /// The arguments of a call: as keyword arguments if all names are Python names, otherwise as a dictionary.
    static func arguments(_ arguments: JSONObject) -> String {
        guard arguments.keys.allSatisfy(LiteralReader.isName) else { return "(**\(text(.object(arguments))))" }
        return "(" + arguments.map { "\($0.key)=\(text($0.value))" }.joined(separator: ", ") + ")"
    }

    /// A value. Strings are written as in JSON, which Python reads as the same strings.
    static func text(_ value: JSONValue) -> String {
        switch value {
        case .null: "None"
        case .bool(let value): value ? "True" : "False"
        case .array(let elements): "[" + elements.map(text).joined(separator: ", ") + "]"
        case .object(let members):
            "{" + members.map { "\(JSONValue.string($0.key).text()): \(text($0.value))" }.joined(separator: ", ") + "}"
        case .number(let number) where !number.isFinite: "None"
        default: value.text()
        }
    }
}
