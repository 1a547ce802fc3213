// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
public import ParleyJSON

extension ConstraintProgram {
    /// Whether a value can be written so that the program accepts it.
    ///
    /// The members of objects may stand in any order: they are put into that of the schema. Whole numbers are tried as
    /// integers and as they are written.
    public func accepts(_ value: JSONValue) -> Bool {
        var writer = ValueWriter()
        return writer.write(value, ConstraintState(self)) { _, state in state.canEnd }
    }
}

/// Writes a value into a state in the ways a program may accept, going back where one fails.
private struct ValueWriter {
    /// How many parts may be tried, so that going back comes to an end.
    private var budget = 1_000_000

    typealias Continuation = (inout ValueWriter, ConstraintState) -> Bool

    init() {}

    mutating func write(_ value: JSONValue, _ state: ConstraintState, then go: Continuation) -> Bool {
        budget -= 1
        guard budget > 0 else { return false }
        switch value {
        case .array(let elements):
            return write("[", state) { writer, state in writer.write(elements[...], isFirst: true, state, then: go) }
        case .object(let members):
            return write("{", state) { writer, state in
                for order in state.machine.orders(of: members) {
                    if writer.write(order[...], isFirst: true, state, then: go) { return true }
                }
                return false
            }
        default:
            for text in ValueNotation.json.spellings(ofScalar: value) {
                var next = state
                if next.advance(text), go(&self, next) { return true }
            }
            return false
        }
    }

    private mutating func write(_ text: String, _ state: ConstraintState, then go: Continuation) -> Bool {
        var next = state
        return next.advance(text.utf8) && go(&self, next)
    }

    private mutating func write(
        _ elements: ArraySlice<JSONValue>, isFirst: Bool, _ state: ConstraintState, then go: Continuation
    ) -> Bool {
        guard let element = elements.first else { return write("]", state, then: go) }
        return write(isFirst ? "" : ",", state) { writer, state in
            writer.write(element, state) { writer, state in
                writer.write(elements.dropFirst(), isFirst: false, state, then: go)
            }
        }
    }

    private mutating func write(
        _ members: ArraySlice<(name: [UInt8], value: JSONValue)>, isFirst: Bool, _ state: ConstraintState,
        then go: Continuation
    ) -> Bool {
        guard let member = members.first else { return write("}", state, then: go) }
        var next = state
        guard next.advance((isFirst ? "\"" : ",\"").utf8), next.advance(member.name), next.advance("\":".utf8) else {
            return false
        }
        return write(member.value, next) { writer, state in
            writer.write(members.dropFirst(), isFirst: false, state, then: go)
        }
    }
}

extension Machine {
    /// The orders in which the objects that may have begun want their members.
    fileprivate func orders(of members: JSONObject) -> [[(name: [UInt8], value: JSONValue)]] {
        let named = members.elements.map { (name: TextEncoding.json.bytes(of: $0.key), value: $0.value) }
        var orders: [[(name: [UInt8], value: JSONValue)]] = []
        var seen: Set<ObjectIdentifier> = []
        for configuration in configurations {
            let shape: ObjectShape
            switch program.leaves[Int(configuration.leaf)].kind {
            case .declaredName(let owner), .newName(let owner): shape = owner
            default: continue
            }
            guard seen.insert(ObjectIdentifier(shape)).inserted else { continue }
            let places = named.indices.sorted { left, right in
                let places = (shape.indices[named[left].name] ?? .max, shape.indices[named[right].name] ?? .max)
                return places.0 == places.1 ? left < right : places.0 < places.1
            }
            orders.append(places.map { named[$0] })
        }
        return orders.isEmpty ? [named] : orders
    }
}
