// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
import ParleyJSON

extension Interpreter {
    /// Sets the variables a template is rendered with.
    func setVariables(_ variables: JSONObject, origin: TemplateOrigin) throws(TemplateError) {
        for (name, value) in variables { scope.set(name, try self.value(value, origin, depth: 0)) }
    }

    private func value(_ json: JSONValue, _ origin: TemplateOrigin, depth: Int) throws(TemplateError) -> Value {
        guard depth < limits.depth else {
            throw TemplateError(.tooDeep, "The context is nested deeper than \(limits.depth) levels.")
        }
        switch json {
        case .null: return .none
        case .bool(let value): return .bool(value)
        case .integer(let value): return .integer(value, origin)
        case .number(let value): return .double(value, origin)
        case .decimal(let value): return .double(value.nearest, origin)
        case .string(let text): return .string(MarkedText(text, origin))
        case .array(let elements):
            var items: [Value] = []
            items.reserveCapacity(elements.count)
            for element in elements { items.append(try value(element, origin, depth: depth + 1)) }
            return try list(items, origin: origin)
        case .object(let object):
            var members: OrderedDictionary<Value, Value> = [:]
            members.reserveCapacity(object.count)
            for (name, member) in object {
                members[.text(name, origin)] = try value(member, origin, depth: depth + 1)
            }
            return try mapping(members, origin: origin)
        }
    }
}
