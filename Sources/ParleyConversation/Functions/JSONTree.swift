// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
import ParleyJSON

/// Carries a JSON value through any encoder and decoder.
struct JSONTree: Codable {
    var value: JSONValue

    /// The maximum depth of nesting, which is safe on the stack of any thread. A decoder may have no limit of its own.
    private static let deepest = 64

    private struct Key: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    init(_ value: JSONValue) {
        self.value = value
    }

    init(from decoder: any Decoder) throws {
        guard decoder.codingPath.count <= Self.deepest else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "It is nested too deeply for a message."))
        }
        if let container = try? decoder.container(keyedBy: Key.self) {
            var members: JSONObject = [:]
            for key in container.allKeys {
                members[key.stringValue] = try container.decode(JSONTree.self, forKey: key).value
            }
            value = .object(members)
        } else if var container = try? decoder.unkeyedContainer() {
            var elements: [JSONValue] = []
            while !container.isAtEnd { elements.append(try container.decode(JSONTree.self).value) }
            value = .array(elements)
        } else {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                value = .null
            } else if let bool = try? container.decode(Bool.self) {
                value = .bool(bool)
            } else if let integer = try? container.decode(Int.self) {
                value = .integer(integer)
            } else if let integer = try? container.decode(UInt64.self) {
                value = JSONValue(integer)
            } else if let number = try? container.decode(Double.self) {
                value = .number(number)
            } else {
                value = .string(try container.decode(String.self))
            }
        }
    }

    func encode(to encoder: any Encoder) throws {
        switch value {
        case .object(let members):
            var container = encoder.container(keyedBy: Key.self)
            for (name, member) in members { try container.encode(JSONTree(member), forKey: Key(stringValue: name)) }
        case .array(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(JSONTree(element)) }
        case .null, .bool, .integer, .number, .decimal, .string:
            var container = encoder.singleValueContainer()
            switch value {
            case .bool(let bool): try container.encode(bool)
            case .integer(let integer): try container.encode(integer)
            case .number(let number): try container.encode(number)
            case .decimal(let decimal):
                if let integer = UInt64(decimal.text) {
                    try container.encode(integer)
                } else {
                    try container.encode(decimal.nearest)
                }
            case .string(let string): try container.encode(string)
            default: try container.encodeNil()
            }
        }
    }
}
