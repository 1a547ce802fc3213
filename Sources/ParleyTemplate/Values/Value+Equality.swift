// SPDX-License-Identifier: Apache-2.0

import OrderedCollections

/// Equality as Python's `==`: numbers by value whatever their kind, texts by characters, containers by content.
extension Value {
    /// Compares two values. `pay` is called with the cost of each part in ticks before it is compared.
    ///
    /// The depth of values is bounded when they are made, which bounds this recursion; values that can contain
    /// themselves are compared by identity. As keys two values are also equal where both are NaN.
    func isEqual<Failure: Error>(
        to other: Value, asKeys areKeys: Bool = false, _ pay: (Int) throws(Failure) -> Void
    ) throws(Failure) -> Bool {
        try pay(12)
        switch (self, other) {
        case (.undefined, .undefined), (.none, .none): return true
        case (.string(let left), .string(let right)):
            guard left.size == right.size else { return false }
            try pay(left.size)
            return left.hasSameBytes(as: right)
        case (.sequence(let left), .sequence(let right)): return try left.isEqual(to: right, asKeys: areKeys, pay)
        case (.mapping(let left), .mapping(let right)): return try left.isEqual(to: right, pay)
        case (.callable(let left), .callable(let right)): return try left.isEqual(to: right, pay)
        default:
            if let left = identity { return left == other.identity }
            if areKeys, case .double(let left, _) = self, left.isNaN, case .double(let right, _) = other, right.isNaN {
                return true
            }
            return hasSameNumber(as: other)
        }
    }

    private func hasSameNumber(as other: Value) -> Bool {
        if let left = integer {
            if let right = other.integer { return left == right }
            if case .double(let right, _) = other { return Int(exactly: right) == left }
            return false
        }
        guard case .double(let left, _) = self else { return false }
        if let right = other.integer { return Int(exactly: left) == right }
        if case .double(let right, _) = other { return left == right }
        return false
    }
}

extension Value {
    /// The identity of a list, tuple or dictionary, for comparisons that ignore its contents.
    var container: ObjectIdentifier? {
        switch self {
        case .sequence(let sequence): ObjectIdentifier(sequence)
        case .mapping(let mapping): ObjectIdentifier(mapping)
        default: nil
        }
    }
}

extension SequenceValue {
    fileprivate func isEqual<Failure: Error>(
        to other: SequenceValue, asKeys areKeys: Bool, _ pay: (Int) throws(Failure) -> Void
    ) throws(Failure) -> Bool {
        if self === other { return true }
        switch (kind, other.kind) {
        case (.list, .list), (.range, .range), (.tuple, .tuple), (.tuple, .group), (.group, .tuple), (.group, .group):
            guard items.count == other.items.count else { return false }
            for (left, right) in zip(items, other.items) {
                guard try left.isEqual(to: right, asKeys: areKeys, pay) else { return false }
            }
            return true
        case (.keys, .keys), (.pairs, .pairs), (.keys, .pairs), (.pairs, .keys):
            // Views of dictionaries are sets; their elements differ from each other.
            guard items.count == other.items.count else { return false }
            for item in items where try !other.contains(item, pay) { return false }
            return true
        default: return false
        }
    }

    private func contains<Failure: Error>(
        _ item: Value, _ pay: (Int) throws(Failure) -> Void
    ) throws(Failure) -> Bool {
        for other in items where try item.isEqual(to: other, pay) { return true }
        return false
    }
}

extension MappingValue {
    /// Compares members regardless of their order.
    fileprivate func isEqual<Failure: Error>(
        to other: MappingValue, _ pay: (Int) throws(Failure) -> Void
    ) throws(Failure) -> Bool {
        if self === other { return true }
        guard members.count == other.members.count else { return false }
        for (key, value) in members {
            try pay(key.value.priceAsKey)
            guard let member = other.members[key], try member.isEqual(to: value, pay) else { return false }
        }
        return true
    }
}

extension Callable {
    fileprivate func isEqual<Failure: Error>(
        to other: Callable, _ pay: (Int) throws(Failure) -> Void
    ) throws(Failure) -> Bool {
        switch (self, other) {
        case (.function(let left), .function(let right)): left == right
        case (.macro(let left), .macro(let right)): left === right
        case (.method(of: let left, name: let name), .method(of: let right, name: let other)):
            // As in Python, methods of two containers differ even where the containers are equal.
            if name != other {
                false
            } else if let container = left.container {
                container == right.container
            } else {
                try left.isEqual(to: right, pay)
            }
        default: false
        }
    }
}
