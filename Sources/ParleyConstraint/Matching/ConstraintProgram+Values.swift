// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
package import ParleyJSON

extension ConstraintProgram {
    /// Whether the program accepts some way of writing a value.
    ///
    /// The members of objects are tried in the schema's order, whatever order they have. Whole numbers are tried as
    /// integers and as they are written. False also where that takes too much work to tell, which ``check(_:)`` says.
    package func accepts(_ value: JSONValue) -> Bool {
        (try? check(value)) ?? false
    }

    /// Whether the program accepts some way of writing a value, unless that takes too much work to tell.
    ///
    /// - Throws: ``ConstraintError`` with code `tooLarge` where that takes too much work to tell.
    package func check(_ value: JSONValue) throws(ConstraintError) -> Bool {
        var writer = ValueWriter()
        if writer.write(value, [ConstraintState(self)]).contains(where: \.canEnd) { return true }
        guard writer.triesAll else {
            throw ConstraintError(
                .tooLarge, "It takes too much work to tell whether the value is accepted; simplify the schema.")
        }
        return false
    }
}

/// Writes a value in all the ways that a program may accept, in parallel.
private struct ValueWriter {
    /// The maximum number of parts to write, which bounds the work for objects with many possible orders.
    private var budget = 2_000_000
    /// Whether no way of writing was left out for its work.
    private(set) var triesAll = true

    private static let stateLimit = 16

    init() {}

    /// The states after a value that begins in any of the given states.
    mutating func write(_ value: JSONValue, _ states: [ConstraintState]) -> [ConstraintState] {
        budget -= states.count
        guard !states.isEmpty else { return [] }
        guard budget > 0 else {
            triesAll = false
            return []
        }
        switch value {
        case .array(let elements):
            var states = write("[", states)
            for (index, element) in elements.enumerated() {
                if index > 0 { states = write(",", states) }
                states = write(element, states)
                if states.isEmpty { return [] }
            }
            return write("]", states)
        case .object(let members):
            let results = write("{", states).flatMap { state in
                state.machine.orders(of: members).flatMap { write($0, [state]) }
            }
            return distinct(results)
        default:
            let texts = ValueNotation.json.spellings(ofScalar: value)
            let results = texts.flatMap { write($0, states) }
            return distinct(results)
        }
    }

    private mutating func write(
        _ members: [(name: [UInt8], value: JSONValue)], _ start: [ConstraintState]
    ) -> [ConstraintState] {
        var states = start
        for (index, member) in members.enumerated() {
            states = write(Array((index > 0 ? ",\"" : "\"").utf8) + member.name + Array("\":".utf8), states)
            states = write(member.value, states)
            if states.isEmpty { return [] }
        }
        return write("}", states)
    }

    private mutating func write(_ text: String, _ states: [ConstraintState]) -> [ConstraintState] {
        write(Array(text.utf8), states)
    }

    private mutating func write(_ bytes: [UInt8], _ states: [ConstraintState]) -> [ConstraintState] {
        var results: [ConstraintState] = []
        for state in states {
            var next = state
            if next.advance(bytes) {
                results.append(next)
            } else if next.machine.work.isSpent {
                triesAll = false
            }
        }
        return results
    }

    /// The states without duplicates, that is, without states that accept the same continuations as another one.
    private mutating func distinct(_ states: [ConstraintState]) -> [ConstraintState] {
        guard states.count > 1 else { return states }
        var keys: Set<[Int32]> = []
        let kept = states.filter { state in
            state.machine.key(cap: 1 << 24).map { keys.insert($0).inserted } ?? true
        }
        if kept.count > Self.stateLimit { triesAll = false }
        return Array(kept.prefix(Self.stateLimit))
    }
}

extension Machine {
    /// The orders of members that the objects which may have begun require.
    fileprivate func orders(of members: JSONObject) -> [[(name: [UInt8], value: JSONValue)]] {
        let named = members.elements.map { (name: TextEncoding.json.bytes(of: $0.key), value: $0.value) }
        var orders: [[(name: [UInt8], value: JSONValue)]] = []
        var seen: Set<ObjectIdentifier> = []
        var known: Set<[Int]> = []
        for configuration in configurations {
            let shape: ObjectShape
            switch program.leaves[Int(configuration.leaf)].kind {
            case .declaredName(let owner), .newName(let owner, _): shape = owner
            default: continue
            }
            guard seen.insert(ObjectIdentifier(shape)).inserted else { continue }
            let places = named.indices.sorted { left, right in
                let places = (shape.indices[named[left].name] ?? .max, shape.indices[named[right].name] ?? .max)
                return places.0 == places.1 ? left < right : places.0 < places.1
            }
            if known.insert(places).inserted { orders.append(places.map { named[$0] }) }
        }
        return orders.isEmpty ? [named] : orders
    }
}
