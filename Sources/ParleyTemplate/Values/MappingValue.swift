// SPDX-License-Identifier: Apache-2.0

import OrderedCollections

/// A dictionary.
final class MappingValue {
    let members: OrderedDictionary<Value, Value>
    let depth: Int
    let weight: Int
    /// The origin of braces, colons and commas when this is printed.
    let origin: TemplateOrigin

    /// Made by the interpreter alone, which charges for it and bounds its depth.
    init(members: OrderedDictionary<Value, Value>, depth: Int, weight: Int, origin: TemplateOrigin) {
        self.members = members
        self.depth = depth
        self.weight = weight
        self.origin = origin
    }

    /// The order of members does not count.
    func isEqual(_ other: MappingValue) -> Bool {
        members.count == other.members.count && members.allSatisfy { other.members[$0.key] == $0.value }
    }
}
