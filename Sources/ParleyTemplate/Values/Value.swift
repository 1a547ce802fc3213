// SPDX-License-Identifier: Apache-2.0

import OrderedCollections

/// A value during rendering, modelled on Python's.
///
/// Only namespaces, loops, cyclers, joiners and generators have state. Everything else is immutable, because the
/// sandbox that templates are written for forbids changing lists and dictionaries. Containers store their depth, so
/// that no recursion over a value, including its release, can exhaust the stack. The memory of every container is
/// charged.
enum Value {
    case undefined(Undefined)
    case none
    case bool(Bool)
    case integer(Int, TemplateOrigin)
    case double(Double, TemplateOrigin)
    case string(MarkedText)
    case sequence(SequenceValue)
    case mapping(MappingValue)
    case namespace(NamespaceValue)
    case loop(LoopValue)
    case callable(Callable)
    case cycler(CyclerValue)
    case joiner(JoinerValue)
}

extension Value {
    /// The depth of nested containers; 0 for a value that contains no others.
    var depth: Int {
        switch self {
        case .sequence(let sequence): sequence.depth
        case .mapping(let mapping): mapping.depth
        case .loop(let loop): loop.depth
        case .cycler(let cycler): cycler.items.depth
        case .callable(let callable): callable.depth
        default: 0
        }
    }

    /// The cost in ticks of hashing or comparing this value: its bytes and elements at all levels, counted as often as
    /// they occur. A value that contains another twice, which contains a third twice and so on, is small in memory but
    /// takes exponential time to traverse.
    var weight: Int {
        switch self {
        case .string(let text): text.size + 8
        case .sequence(let sequence): sequence.weight
        case .mapping(let mapping): mapping.weight
        case .callable(let callable): callable.weight
        default: 8
        }
    }

    /// The cost in ticks of hashing this once and comparing it.
    var priceAsKey: Int { 16 + 3 * min(weight, 1 << 48) }

    /// The saturated sum of two weights.
    static func heavier(_ left: Int, _ right: Int) -> Int {
        min(left, .max / 4) + min(right, .max / 4)
    }

    /// The memory of this value in addition to its slot in a container, as far as no object is charged for it.
    var looseBytes: Int {
        switch self {
        case .undefined, .callable(.method): Undefined.bytes
        default: 0
        }
    }

    /// The identity of a value that is compared by identity.
    var identity: ObjectIdentifier? {
        switch self {
        case .namespace(let namespace): ObjectIdentifier(namespace)
        case .loop(let loop): ObjectIdentifier(loop)
        case .cycler(let cycler): ObjectIdentifier(cycler)
        case .joiner(let joiner): ObjectIdentifier(joiner)
        case .callable(.macro(let macro)): ObjectIdentifier(macro)
        default: nil
        }
    }

    /// The origin of results derived from this value if single characters cannot be tracked. Truth values and `none`
    /// have no origin and count as input.
    var origin: TemplateOrigin {
        switch self {
        case .integer(_, let origin), .double(_, let origin): origin
        case .string(let text): text.origin
        case .sequence(let sequence): sequence.origin
        case .mapping(let mapping): mapping.origin
        case .undefined, .namespace, .loop, .callable, .cycler, .joiner: .template
        case .none, .bool: .input
        }
    }

    /// The name of the type in Python, for messages.
    var typeName: String {
        switch self {
        case .undefined: "Undefined"
        case .none: "NoneType"
        case .bool: "bool"
        case .integer: "int"
        case .double: "float"
        case .string(let text): text.isMarkup ? "Markup" : "str"
        case .sequence(let sequence): sequence.kind.typeName
        case .mapping: "dict"
        case .namespace: "Namespace"
        case .loop: "LoopContext"
        case .callable(let callable): callable.typeName
        case .cycler: "Cycler"
        case .joiner: "Joiner"
        }
    }

    /// The text, if this is a string.
    var text: MarkedText? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The number as an integer where Python accepts it as one: truth values count, floats do not.
    var integer: Int? {
        switch self {
        case .integer(let value, _): value
        case .bool(let value): value ? 1 : 0
        default: nil
        }
    }

    /// The number as a double, if this is a number.
    var double: Double? {
        switch self {
        case .double(let value, _): value
        default: integer.map(Double.init)
        }
    }

    var isUndefined: Bool {
        if case .undefined = self { true } else { false }
    }

    var isNone: Bool {
        if case .none = self { true } else { false }
    }

    /// The truth value of this in Python.
    var isTrue: Bool {
        switch self {
        case .undefined, .none: false
        case .bool(let value): value
        case .integer(let value, _): value != 0
        case .double(let value, _): value != 0
        case .string(let text): !text.isEmpty
        case .sequence(let sequence): sequence.isTrue
        case .mapping(let mapping): !mapping.members.isEmpty
        case .namespace, .loop, .callable, .cycler, .joiner: true
        }
    }
}
