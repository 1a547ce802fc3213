// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
import ParleyJSON

extension Interpreter {
    /// Sets the variables a template is rendered with.
    func setVariables(_ variables: JSONObject, origin: TemplateOrigin) throws(TemplateError) {
        var reader = ContextReader(interpreter: self, origin: origin)
        for (name, value) in variables {
            meter.allow(inputBytes: ContextReader.bytesOfValue + name.utf8.count)
            try scope.set(name, try reader.value(value, depth: 0))
        }
    }
}

/// Converts the context to values. A larger context raises the memory limit of the rendering.
private struct ContextReader {
    let interpreter: Interpreter
    let origin: TemplateOrigin
    /// The names of members, shared because most of them occur in every message.
    private var keys: [String: Key] = [:]

    /// The number of bytes that each value of the context is counted as, in addition to its text.
    static let bytesOfValue = 32

    init(interpreter: Interpreter, origin: TemplateOrigin) {
        self.interpreter = interpreter
        self.origin = origin
    }

    mutating func value(_ json: JSONValue, depth: Int) throws(TemplateError) -> Value {
        guard depth < interpreter.limits.depth else {
            throw TemplateError(
                .tooDeep, "The context is nested deeper than \(interpreter.limits.depth) levels.")
        }
        interpreter.meter.allow(inputBytes: ContextReader.bytesOfValue)
        switch json {
        case .null: return .none
        case .bool(let value): return .bool(value)
        case .integer(let value): return .integer(value, origin)
        case .number(let value): return .double(value, origin)
        case .decimal(let value): return .double(value.nearest, origin)
        case .string(let string): return .string(try text(string))
        case .array(let elements):
            let row = try interpreter.row(room: elements.count)
            for element in elements { try row.append(try value(element, depth: depth + 1)) }
            return try interpreter.sequence(.list, row, origin: origin)
        case .object(let object):
            let members = try Members(interpreter.meter)
            for (name, member) in object {
                try members.set(try key(name), try value(member, depth: depth + 1))
            }
            return try interpreter.mapping(members, origin: origin)
        }
    }

    private func text(_ string: String) throws(TemplateError) -> MarkedText {
        interpreter.meter.allow(inputBytes: string.utf8.count)
        return try interpreter.text { (writer) throws(TemplateError) in try writer.append(string: string, origin) }
    }

    private mutating func key(_ name: String) throws(TemplateError) -> Key {
        // Names of which only the composition differs are one key to a dictionary of Swift, and two to Python.
        let mayRecur = name.utf8.count <= 64 && name.utf8.allSatisfy { $0 < 0x80 }
        if mayRecur, let key = keys[name] { return key }
        interpreter.meter.allow(inputBytes: ContextReader.bytesOfValue)
        let key = try interpreter.meter.key(.string(try text(name)))
        if mayRecur, keys.count < 1000 { keys[name] = key }
        return key
    }
}
