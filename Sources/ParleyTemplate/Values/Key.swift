// SPDX-License-Identifier: Apache-2.0

/// A value that may be a dictionary's key or a set's element. The meter creates it and charges for lookups in advance,
/// because hashing and comparing cannot charge.
struct Key: Hashable {
    let value: Value

    fileprivate init(_ value: Value) {
        self.value = value
    }

    /// A name in a template's source or in Parley's own code.
    init(name: MarkedText) {
        value = .string(name)
    }

    /// Unlike elsewhere, NaN equals itself: otherwise a dictionary could have any number of such keys, none of which
    /// could be found again.
    static func == (left: Key, right: Key) -> Bool {
        left.value.isEqual(to: right.value, asKeys: true) { (_: Int) in }
    }

    /// Equal keys have equal hashes, also across kinds of numbers. The hasher's input is unambiguous, because each part
    /// includes its kind and length, so that different keys have different input.
    func hash(into hasher: inout Hasher) {
        Key.hash(value, into: &hasher)
    }

    private enum Part: UInt8 { case text, number, tuple, range, method, function, identity, other }

    private static func hash(_ value: Value, into hasher: inout Hasher) {
        switch value {
        case .string(let text):
            hasher.combine(Part.text.rawValue)
            hasher.combine(text.size)
            text.hash(into: &hasher)
        case .bool(let flag): hash(flag ? 1 : 0, into: &hasher)
        case .integer(let number, _): hash(number, into: &hasher)
        case .double(let number, _):
            if let integer = Int(exactly: number) { return hash(integer, into: &hasher) }
            hasher.combine(Part.number.rawValue)
            hasher.combine(number.isNaN ? .nan : number)
        case .sequence(let sequence): hash(sequence, into: &hasher)
        case .callable(.function(let function)):
            hasher.combine(Part.function.rawValue)
            hasher.combine(function)
        case .callable(.method(of: let receiver, name: let name)):
            hasher.combine(Part.method.rawValue)
            hasher.combine(name)
            if let container = receiver.container { return hash(container, into: &hasher) }
            hash(receiver, into: &hasher)
        default:
            if let identity = value.identity { return hash(identity, into: &hasher) }
            hasher.combine(Part.other.rawValue)
            hasher.combine(value.typeName)
        }
    }

    private static func hash(_ number: Int, into hasher: inout Hasher) {
        hasher.combine(Part.number.rawValue)
        hasher.combine(number)
    }

    private static func hash(_ identity: ObjectIdentifier, into hasher: inout Hasher) {
        hasher.combine(Part.identity.rawValue)
        hasher.combine(identity)
    }

    private static func hash(_ sequence: SequenceValue, into hasher: inout Hasher) {
        switch sequence.kind {
        case .tuple, .group:
            hasher.combine(Part.tuple.rawValue)
            hasher.combine(sequence.items.count)
            for item in sequence.items { hash(item, into: &hasher) }
        case .range:
            // The ends suffice, because the numbers between them have equal distances.
            hasher.combine(Part.range.rawValue)
            hasher.combine(sequence.items.count)
            if let first = sequence.items.first, let last = sequence.items.last {
                hash(first, into: &hasher)
                hash(last, into: &hasher)
            }
        default: hash(ObjectIdentifier(sequence), into: &hasher)
        }
    }
}

extension Meter {
    /// The value as a key; charges hashing and comparing it.
    func key(_ value: Value) throws(TemplateError) -> Key {
        try work(value.priceAsKey)
        guard value.isHashable else { throw TemplateError(.wrongType, "unhashable type: '\(value.typeName)'") }
        return Key(value)
    }

    /// The value as a key; nil where it is not hashable.
    func keyIfHashable(_ value: Value) throws(TemplateError) -> Key? {
        try work(value.priceAsKey)
        return value.isHashable ? Key(value) : nil
    }
}

extension Value {
    /// Whether this may be a dictionary's key or a set's element.
    fileprivate var isHashable: Bool {
        switch self {
        case .mapping: false
        case .sequence(let sequence):
            switch sequence.kind {
            case .list, .keys, .pairs: false
            case .tuple, .group: sequence.items.allSatisfy(\.isHashable)
            default: true
            }
        default: true
        }
    }
}
