// SPDX-License-Identifier: Apache-2.0

import OrderedCollections

/// Equality as Python's `==`: numbers by value whatever their kind, texts by characters, containers by content.
extension Value: Hashable {
    static func == (left: Value, right: Value) -> Bool {
        switch (left, right) {
        case (.undefined, .undefined), (.none, .none): return true
        case (.string(let left), .string(let right)): return left == right
        case (.sequence(let left), .sequence(let right)): return left.isEqual(right)
        case (.mapping(let left), .mapping(let right)): return left === right || left.isEqual(right)
        case (.namespace(let left), .namespace(let right)): return left === right
        case (.loop(let left), .loop(let right)): return left === right
        case (.cycler(let left), .cycler(let right)): return left === right
        case (.joiner(let left), .joiner(let right)): return left === right
        case (.callable(let left), .callable(let right)): return left.isSame(right)
        default:
            if let left = left.integer, let right = right.integer { return left == right }
            if let left = left.double, let right = right.double { return left == right }
            return false
        }
    }

    func hash(into hasher: inout Hasher) {
        switch self {
        case .string(let text): hasher.combine(text)
        case .bool, .integer, .double:
            // Numbers that are equal across kinds must hash alike.
            hasher.combine(double ?? 0)
        case .sequence(let sequence) where sequence.kind == .tuple || sequence.kind == .group:
            for item in sequence.items { hasher.combine(item) }
        default: hasher.combine(typeName)
        }
    }

    /// Whether this may be a dictionary's key or a set's element.
    var isHashable: Bool {
        switch self {
        case .mapping: false
        case .sequence(let sequence):
            switch sequence.kind {
            case .list: false
            case .tuple, .group: sequence.items.allSatisfy(\.isHashable)
            default: true
            }
        default: true
        }
    }
}
