// SPDX-License-Identifier: Apache-2.0

/// The variable `loop`: where a loop stands, and the iterator that moves it.
///
/// Elements pass the loop's condition only when they are needed, as in Jinja, where the body can change what the
/// condition sees; asking for the length or the next element looks ahead.
final class LoopValue {
    let definition: LoopDefinition
    /// The scope around the loop, in which its condition is evaluated and a call of `loop` runs it again.
    let scope: Scope
    let depth: Int
    let recursionDepth: Int
    private(set) var index = -1
    private(set) var previous: Value?
    private(set) var current: Value?
    private var candidates: ArraySlice<Value>
    private var upcoming: ArraySlice<Value> = []
    var lastChanged: [Value]?

    init(definition: LoopDefinition, items: [Value], depth: Int, scope: Scope, recursionDepth: Int) {
        self.definition = definition
        self.scope = scope
        self.depth = depth
        self.recursionDepth = recursionDepth
        candidates = items[...]
    }

    /// A test of the loop's condition.
    typealias Filter = (Value) throws(TemplateError) -> Bool

    /// Steps to the next element and gives it, or nil at the end.
    func advance(_ accepts: Filter) throws(TemplateError) -> Value? {
        guard let element = try peek(accepts) else { return nil }
        _ = upcoming.popFirst()
        index += 1
        previous = current
        current = element
        return element
    }

    /// The next element, without stepping to it.
    func peek(_ accepts: Filter) throws(TemplateError) -> Value? {
        while upcoming.isEmpty, let candidate = candidates.popFirst() {
            if try accepts(candidate) { upcoming.append(candidate) }
        }
        return upcoming.first
    }

    /// How many elements the loop has in all.
    func length(_ accepts: Filter) throws(TemplateError) -> Int {
        while let candidate = candidates.popFirst() {
            if try accepts(candidate) { upcoming.append(candidate) }
        }
        return index + 1 + upcoming.count
    }
}
