// SPDX-License-Identifier: Apache-2.0

import OrderedCollections

/// What `namespace()` makes: the only thing whose attributes a template can set.
final class NamespaceValue {
    var attributes: OrderedDictionary<String, Value>

    init(attributes: OrderedDictionary<String, Value>) {
        self.attributes = attributes
    }
}

/// What `cycler()` makes: gives its items in turn.
final class CyclerValue {
    let items: SequenceValue
    var position = 0

    init(items: SequenceValue) {
        self.items = items
    }

    var current: Value { items.items[position] }

    func next() -> Value {
        defer { position = (position + 1) % items.items.count }
        return current
    }
}

/// What `joiner()` makes: gives nothing when first called and the separator from then on.
final class JoinerValue {
    let separator: MarkedText
    private var wasCalled = false

    init(separator: MarkedText) {
        self.separator = separator
    }

    func call() -> MarkedText {
        defer { wasCalled = true }
        return wasCalled ? separator : MarkedText()
    }
}
