// SPDX-License-Identifier: Apache-2.0

/// The variable `loop`: the position of a loop, and its iterator.
///
/// The loop's condition is evaluated for an element only when it is needed, as in Jinja, because the body may change
/// variables of the condition. Reading the length or the next element looks ahead.
final class LoopValue: MutableObject {
    let definition: LoopDefinition
    /// The scope around the loop, in which its condition is evaluated and a call of `loop` runs it again.
    let scope: Scope
    let depth: Int
    let recursionDepth: Int
    @exclusivity(unchecked) private(set) var index = -1
    @exclusivity(unchecked) private(set) var previous: Value?
    @exclusivity(unchecked) private(set) var current: Value?
    private let candidates: Elements
    @exclusivity(unchecked) private var nextCandidate = 0
    /// The elements that satisfy the condition and have not been reached yet.
    @exclusivity(unchecked) private var upcoming: [Value] = []
    @exclusivity(unchecked) private var nextUpcoming = 0
    @exclusivity(unchecked) private var lastChanged: Elements?

    init(
        definition: LoopDefinition, items: Elements, depth: Int, scope: Scope, recursionDepth: Int
    ) throws(TemplateError) {
        self.definition = definition
        self.scope = scope
        self.depth = depth
        self.recursionDepth = recursionDepth
        candidates = items
        try super.init(scope.meter, bytes: 320)
    }

    deinit {
        empty()
    }

    override func empty() {
        guard lastChanged != nil else { return }
        meter.dissolve(&lastChanged, leaving: nil)
    }

    /// A test of the loop's condition.
    typealias Filter = (Value) throws(TemplateError) -> Bool

    /// Advances to the next element and returns it; nil at the end.
    func advance(_ accepts: Filter) throws(TemplateError) -> Value? {
        guard let element = try peek(accepts) else { return nil }
        nextUpcoming += 1
        if nextUpcoming == upcoming.count {
            upcoming.removeAll(keepingCapacity: true)
            nextUpcoming = 0
        }
        index += 1
        previous = current
        current = element
        return element
    }

    /// The next element, without advancing to it.
    func peek(_ accepts: Filter) throws(TemplateError) -> Value? {
        while nextUpcoming == upcoming.count, try lookAhead(accepts) {}
        return nextUpcoming < upcoming.count ? upcoming[nextUpcoming] : nil
    }

    /// The total number of elements of the loop.
    func length(_ accepts: Filter) throws(TemplateError) -> Int {
        guard definition.condition != nil else { return candidates.count }
        while try lookAhead(accepts) {}
        return index + 1 + upcoming.count - nextUpcoming
    }

    /// Evaluates the condition for the next candidate; false where there is none.
    private func lookAhead(_ accepts: Filter) throws(TemplateError) -> Bool {
        guard nextCandidate < candidates.count else { return false }
        let candidate = candidates[nextCandidate]
        nextCandidate += 1
        guard try accepts(candidate) else { return true }
        // Charges the capacity that an array allocates in advance, and its copy when it grows.
        if upcoming.count == upcoming.capacity { try hold(4 * MemoryLayout<Value>.stride * max(upcoming.count, 2)) }
        upcoming.append(candidate)
        return true
    }

    /// Whether these values differ from those of the last call, which they replace.
    func changes(to values: Elements) throws(TemplateError) -> Bool {
        let last = lastChanged
        lastChanged = values
        guard let last, last.count == values.count else { return true }
        for (left, right) in zip(last, values) {
            guard try left.isEqual(to: right, { (price) throws(TemplateError) in try meter.work(price) }) else {
                return true
            }
        }
        return false
    }
}
