// SPDX-License-Identifier: Apache-2.0

import OrderedCollections

/// The methods of dictionaries that change nothing.
enum MappingMethods {
    static let names: Set = ["get", "items", "keys", "values", "copy"]
    static let forbidden: Set = ["clear", "pop", "popitem", "setdefault", "update"]

    static func call(
        _ name: String, _ mapping: MappingValue, _ arguments: CallArguments, _ interpreter: Interpreter
    ) throws(TemplateError) -> Value {
        if name == "get" {
            let bound = try arguments.bound(to: ["key", "default"], of: "get", required: 1)
            return mapping.members[try interpreter.key(bound[0] ?? .none)] ?? bound[1] ?? .none
        }
        try arguments.expectNone(of: name)
        switch name {
        case "items": return .sequence(try pairs(.pairs, mapping, interpreter))
        case "keys": return try view(.keys, Array(mapping.members.keys), mapping, interpreter)
        case "values": return try view(.values, Array(mapping.members.values), mapping, interpreter)
        default: return try interpreter.mapping(mapping.members, origin: mapping.origin)
        }
    }

    /// The members as tuples.
    static func pairs(
        _ kind: SequenceValue.Kind, _ mapping: MappingValue, _ interpreter: Interpreter
    ) throws(TemplateError) -> SequenceValue {
        var pairs: [Value] = []
        for (key, value) in mapping.members {
            pairs.append(try interpreter.tuple([key, value], origin: mapping.origin))
        }
        return try interpreter.sequence(kind, pairs, origin: mapping.origin)
    }

    private static func view(
        _ kind: SequenceValue.Kind, _ items: [Value], _ mapping: MappingValue, _ interpreter: Interpreter
    ) throws(TemplateError) -> Value {
        .sequence(try interpreter.sequence(kind, items, origin: mapping.origin))
    }
}
