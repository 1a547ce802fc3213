// SPDX-License-Identifier: Apache-2.0

/// A value that may be a dictionary's key or a set's element. The meter makes it, for finding one hashes and compares it
/// without being able to pay.
struct Key: Hashable {
    let value: Value

    fileprivate init(_ value: Value) {
        self.value = value
    }

    /// A name in a template's source or in Parley's own.
    init(name: MarkedText) {
        value = .string(name)
    }

    static func == (left: Key, right: Key) -> Bool {
        left.value.isEqual(to: right.value) { (_: Int) in }
    }

    /// What is equal hashes alike, across kinds of numbers too; everything else as unlike as it can.
    func hash(into hasher: inout Hasher) {
        Key.hash(value, into: &hasher)
    }

    private static func hash(_ value: Value, into hasher: inout Hasher) {
        switch value {
        case .string(let text): text.hash(into: &hasher)
        case .bool(let flag): hasher.combine(flag ? 1 : 0)
        case .integer(let number, _): hasher.combine(number)
        case .double(let number, _):
            if let integer = Int(exactly: number) { hasher.combine(integer) } else { hasher.combine(number) }
        case .sequence(let sequence): hash(sequence, into: &hasher)
        case .callable(.function(let function)): hasher.combine(function)
        case .callable(.method(of: let receiver, name: let name)):
            // Equal receivers need not be hashable, so that only their kind may count.
            hasher.combine(name)
            hasher.combine(receiver.typeName)
            hasher.combine(receiver.weight)
        default:
            if let identity = value.identity { hasher.combine(identity) } else { hasher.combine(value.typeName) }
        }
    }

    private static func hash(_ sequence: SequenceValue, into hasher: inout Hasher) {
        switch sequence.kind {
        case .tuple, .group: for item in sequence.items { hash(item, into: &hasher) }
        case .range:
            hasher.combine(sequence.items.count)
            if let first = sequence.items.first { hash(first, into: &hasher) }
        default: hasher.combine(ObjectIdentifier(sequence))
        }
    }
}

extension Meter {
    /// The value as a key, hashing and comparing it included.
    func key(_ value: Value) throws(TemplateError) -> Key {
        try work(2 * value.weight)
        guard value.isHashable else { throw TemplateError(.wrongType, "unhashable type: '\(value.typeName)'") }
        return Key(value)
    }

    /// The value as a key, or nil where it can be none.
    func keyIfHashable(_ value: Value) throws(TemplateError) -> Key? {
        try work(2 * value.weight)
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
