// SPDX-License-Identifier: Apache-2.0

import OrderedCollections

/// Renders one template once: walks the statements, keeps the variables and pays for every step.
final class Interpreter {
    let limits: TemplateLimits
    let options: RenderingOptions
    var scope = Scope(parent: nil)
    /// What the innermost body that collects text has printed.
    var output = MarkedText()
    /// The text that the filters of a filter block or of a block assignment are applied to.
    var captured = Value.none

    private var depth = 0
    private var steps = 0
    /// The step at which cancellation and the deadline are looked at next.
    private var nextLook = 0
    private var madeCharacters = 0
    private var madeElements = 0
    /// Everything that a cycle of references could run through; emptied in the end, which also keeps the release of a
    /// long chain from recursing.
    private var namespaces: [NamespaceValue] = []
    private var keptScopes: [Scope] = []

    init(limits: TemplateLimits, options: RenderingOptions) {
        self.limits = limits
        self.options = options
    }

    deinit {
        for namespace in namespaces { namespace.attributes.removeAll() }
        for scope in keptScopes { scope.removeAll() }
    }

    // MARK: Paying

    /// Begins a statement or an expression, which `leave` ends. A call counts for more: it takes more of the stack.
    func enter(levels: Int = 1) throws(TemplateError) {
        try charge(steps: 1)
        guard depth + levels <= limits.depth else {
            throw TemplateError(.tooDeep, "Evaluation is nested deeper than \(limits.depth) levels.")
        }
        depth += levels
    }

    func leave(levels: Int = 1) {
        depth -= levels
    }

    func charge(steps count: Int) throws(TemplateError) {
        steps = steps.addingReportingOverflow(count).partialValue
        guard count >= 0, steps >= 0, steps <= limits.steps else {
            throw TemplateError(.tooManySteps, "Rendering takes more than \(limits.steps) steps.")
        }
        if steps >= nextLook { try look() }
    }

    /// Looks whether to go on, every thousand steps.
    @inline(never)
    private func look() throws(TemplateError) {
        nextLook = steps + 1024
        guard !Task.isCancelled else { throw TemplateError(.cancelled, "Rendering was cancelled.") }
        if let deadline = options.deadline, ContinuousClock.now >= deadline {
            throw TemplateError(.timedOut, "Rendering went on past its deadline.")
        }
    }

    /// Pays for characters about to be made, in memory and in time.
    func charge(characters count: Int) throws(TemplateError) {
        guard count >= 0, count <= limits.madeCharacters - madeCharacters else {
            throw TemplateError(
                .valueTooLarge, "The strings of this rendering exceed \(limits.madeCharacters) characters.")
        }
        madeCharacters += count
        try charge(steps: count / 64)
    }

    func charge(elements count: Int) throws(TemplateError) {
        guard count >= 0, count <= limits.madeElements - madeElements else {
            throw TemplateError(
                .valueTooLarge, "The lists and dictionaries of this rendering exceed \(limits.madeElements) elements.")
        }
        madeElements += count
        try charge(steps: count / 8)
    }

    // MARK: Making values

    func text(_ text: MarkedText) throws(TemplateError) -> Value {
        try charge(characters: text.count)
        return .string(text)
    }

    @inline(never)
    func list(_ items: [Value], origin: TemplateOrigin = .template) throws(TemplateError) -> Value {
        .sequence(try sequence(.list, items, origin: origin))
    }

    @inline(never)
    func tuple(_ items: [Value], origin: TemplateOrigin = .template) throws(TemplateError) -> Value {
        .sequence(try sequence(.tuple, items, origin: origin))
    }

    func sequence(
        _ kind: SequenceValue.Kind, _ items: [Value], origin: TemplateOrigin
    ) throws(TemplateError) -> SequenceValue {
        try charge(elements: items.count)
        var (depth, weight) = (0, 1)
        for item in items {
            depth = max(depth, item.depth)
            weight = weight.addingReportingOverflow(item.weight).partialValue
            try check(weight: weight)
        }
        return SequenceValue(
            kind: kind, items: items, depth: try deepened(depth), weight: weight, origin: origin)
    }

    func mapping(
        _ members: OrderedDictionary<Value, Value>, origin: TemplateOrigin = .template
    ) throws(TemplateError) -> Value {
        try charge(elements: members.count)
        var (depth, weight) = (0, 1)
        for (key, value) in members {
            depth = max(depth, key.depth, value.depth)
            weight = weight.addingReportingOverflow(key.weight + value.weight).partialValue
            try check(weight: weight)
        }
        return .mapping(
            MappingValue(members: members, depth: try deepened(depth), weight: weight, origin: origin))
    }

    private func deepened(_ depth: Int) throws(TemplateError) -> Int {
        guard depth < limits.depth else {
            throw TemplateError(.tooDeep, "A value is nested deeper than \(limits.depth) levels.")
        }
        return depth + 1
    }

    private func check(weight: Int) throws(TemplateError) {
        guard weight <= limits.madeCharacters else {
            throw TemplateError(.valueTooLarge, "A value exceeds \(limits.madeCharacters) characters and elements.")
        }
    }

    func namespace(_ attributes: OrderedDictionary<String, Value>) throws(TemplateError) -> Value {
        try charge(elements: attributes.count + 1)
        let namespace = NamespaceValue(attributes: attributes)
        namespaces.append(namespace)
        return .namespace(namespace)
    }

    /// Remembers a scope that a macro or a loop holds on to.
    func keep(_ scope: Scope) throws(TemplateError) {
        guard keptScopes.last !== scope else { return }
        try charge(elements: 1)
        keptScopes.append(scope)
    }
}
