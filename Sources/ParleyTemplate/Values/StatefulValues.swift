// SPDX-License-Identifier: Apache-2.0

import OrderedCollections

/// The result of `namespace()`: the only value whose attributes a template can set.
final class NamespaceValue: MutableObject {
    @exclusivity(unchecked) private(set) var attributes: OrderedDictionary<String, Value> = [:]
    /// The origin of the attributes' names: input, if any of them is input.
    @exclusivity(unchecked) private(set) var nameOrigin = TemplateOrigin.template

    init(_ meter: Meter) throws(TemplateError) {
        try super.init(meter, bytes: 256)
    }

    deinit {
        empty()
    }

    override func empty() {
        meter.dissolve(&attributes, leaving: [:])
    }

    func set(
        _ name: String, _ value: Value, nameOrigin origin: TemplateOrigin = .template
    ) throws(TemplateError) {
        try meter.work(Scope.price(ofName: name))
        nameOrigin = nameOrigin.joined(origin)
        let count = attributes.count
        attributes[name] = value
        if attributes.count > count { try hold(Scope.bytesOfVariable + name.utf8.count) }
    }
}

/// The result of `cycler()`: gives its items in turn.
final class CyclerValue: MeteredObject {
    let items: SequenceValue
    @exclusivity(unchecked) var position = 0

    init(items: SequenceValue) throws(TemplateError) {
        self.items = items
        try super.init(items.meter, bytes: 64)
    }

    var current: Value { items.items[position] }

    func next() -> Value {
        defer { position = (position + 1) % items.items.count }
        return current
    }
}

/// The result of `joiner()`: gives nothing when first called and the separator from then on.
final class JoinerValue: MeteredObject {
    let separator: MarkedText
    @exclusivity(unchecked) private var wasCalled = false

    init(separator: MarkedText, _ meter: Meter) throws(TemplateError) {
        self.separator = separator
        try super.init(meter, bytes: 96)
    }

    func call() -> MarkedText {
        defer { wasCalled = true }
        return wasCalled ? separator : .empty
    }
}
