// SPDX-License-Identifier: Apache-2.0

import OrderedCollections

/// A dictionary.
final class MappingValue: MeteredObject {
    let members: OrderedDictionary<Key, Value>
    let depth: Int
    let weight: Int
    /// The origin of braces, colons and commas when this is printed.
    let origin: TemplateOrigin

    /// Takes over the members.
    init(_ members: Members, origin: TemplateOrigin) throws(TemplateError) {
        let meter = members.meter
        try meter.work(24 * members.count)
        var (depth, weight) = (0, 8)
        for (key, value) in members.dictionary {
            depth = max(depth, key.value.depth, value.depth)
            weight = Value.heavier(weight, Value.heavier(key.value.weight, value.weight))
        }
        self.members = members.dictionary
        self.depth = try meter.deepened(depth)
        self.weight = weight
        self.origin = origin
        try super.init(meter, bytes: 128, takingOver: members)
    }
}

/// The members of a dictionary that is being made.
final class Members: MeteredObject {
    @exclusivity(unchecked) private(set) var dictionary: OrderedDictionary<Key, Value> = [:]

    init(_ meter: Meter) throws(TemplateError) {
        try super.init(meter, bytes: 96)
    }

    /// The memory of `count` members, including spare capacity and the copies made when the dictionary grows.
    static func bytes(_ count: Int) -> Int { 160 * count }

    var count: Int { dictionary.count }

    func set(_ key: Key, _ value: Value) throws(TemplateError) {
        try meter.work(24)
        let count = dictionary.count
        dictionary[key] = value
        if dictionary.count > count { try hold(Members.bytes(1)) }
    }

    func append(contentsOf mapping: MappingValue) throws(TemplateError) {
        for (key, value) in mapping.members {
            try meter.work(key.value.priceAsKey)
            try set(key, value)
        }
    }
}
