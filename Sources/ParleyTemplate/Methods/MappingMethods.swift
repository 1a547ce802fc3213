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
            return mapping.members[try interpreter.meter.key(bound[0] ?? .none)] ?? bound[1] ?? .none
        }
        try arguments.expectNone(of: name)
        switch name {
        case "items": return .sequence(try pairs(.pairs, mapping, interpreter))
        case "keys", "values":
            let row = try interpreter.row(room: mapping.members.count)
            for (key, value) in mapping.members { try row.append(name == "keys" ? key.value : value) }
            return try interpreter.sequence(name == "keys" ? .keys : .values, row, origin: mapping.origin)
        default:
            let members = try Members(interpreter.meter)
            try members.append(contentsOf: mapping)
            return try interpreter.mapping(members, origin: mapping.origin)
        }
    }

    /// The members as tuples.
    static func pairs(
        _ kind: SequenceValue.Kind, _ mapping: MappingValue, _ interpreter: Interpreter
    ) throws(TemplateError) -> SequenceValue {
        let pairs = try interpreter.row(room: mapping.members.count)
        for (key, value) in mapping.members {
            try pairs.append(try interpreter.sequence(.tuple, of: [key.value, value], origin: mapping.origin))
        }
        return try SequenceValue(kind, pairs, origin: mapping.origin)
    }
}
