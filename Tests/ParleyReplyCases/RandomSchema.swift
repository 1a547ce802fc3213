// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
package import ParleyJSON
package import ParleyRuntime

/// Random schemas of the arguments of functions, with names and strings that are hard to write.
package struct RandomSchema {
    /// Names and values: plain, reserved, of many scripts, and such that look like a part of a call.
    static let texts = [
        "city", "a", "from", "None", "x-y", "a.b", "größe", "日本", "_", "user id", "2fa", "$filter", "", "\"", "it's",
        "a\\", "line\nbreak", "e\u{301}", "👩‍👩‍👧", "\u{301}", "\u{0}", "\u{7F}\u{2028}", "a=b", "{", "}]", "f(a=1)", "**",
        "#",
        "</tool_call>", "<|tool_call_end|>", "[TOOL_CALLS]", "[ARGS]", "True", "1", "-", "\\u00e9", "'''", " ",
    ]

    private var random: SplitMix64

    package init(_ random: SplitMix64) {
        self.random = random
    }

    /// A schema of arguments: an object at the top.
    package mutating func arguments() -> JSONValue {
        if oneIn(12) {
            return ["type": "object", "additionalProperties": value(depth: 2)]
        }
        var schema = object(depth: 0)
        if oneIn(12) {
            schema = ["$defs": ["all": schema], "$ref": "#/$defs/all"]
        } else if oneIn(12) {
            schema = ["anyOf": [schema, object(depth: 0)]]
        }
        return schema
    }

    private mutating func value(depth: Int) -> JSONValue {
        switch int(0...(depth < 3 ? 13 : 9)) {
        case 0, 1: return ["type": "string"]
        case 2:
            let least = int(0...3)
            return ["type": "string", "minLength": .integer(least), "maxLength": .integer(least + int(0...9))]
        case 3: return ["enum": .array((0...int(1...4)).map { _ in scalar() })]
        case 4: return ["const": scalar()]
        case 5: return oneIn(2) ? ["type": "integer"] : ["type": "integer", "minimum": -3, "maximum": 1000]
        case 6: return oneIn(2) ? ["type": "number"] : ["type": "number", "minimum": -2.5, "maximum": 7]
        case 7: return ["type": ["boolean", "null"]]
        case 8: return ["type": ["string", "null", "integer"]]
        case 9: return ["type": "string", "format": "date"]
        case 10: return ["type": "array", "items": value(depth: depth + 1), "maxItems": .integer(int(0...4))]
        case 11:
            let prefix = (0...int(0...2)).map { _ in value(depth: depth + 1) }
            return ["type": "array", "prefixItems": .array(prefix), "items": false, "minItems": .integer(int(0...1))]
        case 12: return ["anyOf": [value(depth: depth + 1), object(depth: depth + 1)]]
        default: return object(depth: depth + 1)
        }
    }

    private mutating func object(depth: Int) -> JSONValue {
        var properties: JSONObject = [:]
        for _ in 0..<int(0...4) { properties[text()] = value(depth: depth + 1) }
        var schema: JSONValue = ["type": "object", "properties": .object(properties)]
        schema["required"] = .array(properties.keys.filter { _ in oneIn(2) }.map { .string($0) })
        switch int(0...3) {
        case 0: schema["additionalProperties"] = false
        case 1: schema["additionalProperties"] = oneIn(3) ? true : value(depth: depth + 2)
        default: break
        }
        return schema
    }

    private mutating func scalar() -> JSONValue {
        switch int(0...7) {
        case 0: return .null
        case 1: return .bool(oneIn(2))
        case 2: return .integer(int(-9...99))
        case 3: return .number(Double(int(-99...99)) / 8)
        case 4: return .array([.string(text()), .bool(true), .null])
        case 5: return .object([text(): .string(text()), "other": .bool(false)])
        default: return .string(text())
        }
    }

    /// One of the hard texts, or an ordinary one.
    package mutating func text() -> String {
        oneIn(3) ? Self.texts[int(0...9)] : Self.texts[int(0...Self.texts.count - 1)]
    }

    package mutating func int(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    package mutating func oneIn(_ count: Int) -> Bool { int(0...count - 1) == 0 }
}
