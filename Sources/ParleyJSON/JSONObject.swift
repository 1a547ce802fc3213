// SPDX-License-Identifier: Apache-2.0

import OrderedCollections

/// An object's members in the order in which they were written, each name once.
///
/// Names are compared by code points (RFC 8259, section 8.3), unlike Swift's strings, for which canonically equivalent
/// names are equal. Two objects are equal if they have equal members in the same order.
///
/// ```swift
/// var arguments: JSONObject = ["city": "Bern", "days": 2]
/// arguments["days"] = 3
/// for (name, value) in arguments { print(name, value) }
/// ```
public struct JSONObject: Hashable, Sendable {
    /// A member.
    public typealias Element = (key: String, value: JSONValue)

    private var members: OrderedDictionary<ExactText, JSONValue>

    /// Makes an object without members.
    public init() { members = [:] }

    /// Makes an object from members. For members with the same name, `combine` determines the value, which takes the
    /// place of the first one.
    ///
    /// - Throws: what the closure throws.
    public init(
        _ members: some Sequence<(String, JSONValue)>,
        uniquingKeysWith combine: (JSONValue, JSONValue) throws -> JSONValue
    ) rethrows {
        self.members = try OrderedDictionary(
            members.lazy.map { (ExactText($0), $1) }, uniquingKeysWith: combine)
    }

    /// Makes an object from members with distinct names; of several with the same name, the last one is used.
    public init(uniqueKeysWithValues members: some Sequence<(String, JSONValue)>) {
        self.init(members, uniquingKeysWith: { _, last in last })
    }

    /// How many members there are.
    public var count: Int { members.count }

    /// Whether there are no members.
    public var isEmpty: Bool { members.isEmpty }

    /// The names, in order.
    public var keys: [String] { members.keys.map(\.string) }

    /// The values, in order.
    public var values: [JSONValue] { Array(members.values) }

    /// The value of a member; setting nil removes the member, and a new one comes last.
    public subscript(name: String) -> JSONValue? {
        get { members[ExactText(name)] }
        set { members[ExactText(name)] = newValue }
    }

    /// The value of a member, or the default if there is none.
    public subscript(name: String, default value: @autoclosure () -> JSONValue) -> JSONValue {
        get { members[ExactText(name)] ?? value() }
        set { members[ExactText(name)] = newValue }
    }

    /// Sets the value of a member and returns its previous value.
    @discardableResult
    public mutating func updateValue(_ value: JSONValue, forKey name: String) -> JSONValue? {
        members.updateValue(value, forKey: ExactText(name))
    }

    /// Removes a member and returns its value.
    @discardableResult
    public mutating func removeValue(forKey name: String) -> JSONValue? {
        members.removeValue(forKey: ExactText(name))
    }

    /// Adds members; if a name exists already, `combine` determines the value.
    ///
    /// - Throws: what the closure throws.
    public mutating func merge(
        _ other: JSONObject, uniquingKeysWith combine: (JSONValue, JSONValue) throws -> JSONValue
    ) rethrows {
        try members.merge(other.members.elements.lazy.map { ($0.key, $0.value) }, uniquingKeysWith: combine)
    }

    /// This object with the members of another, as ``merge(_:uniquingKeysWith:)`` adds them.
    ///
    /// - Throws: what the closure throws.
    public func merging(
        _ other: JSONObject, uniquingKeysWith combine: (JSONValue, JSONValue) throws -> JSONValue
    ) rethrows -> JSONObject {
        var result = self
        try result.merge(other, uniquingKeysWith: combine)
        return result
    }

    /// An object with the same names and transformed values.
    ///
    /// - Throws: what the closure throws.
    public func mapValues(_ transform: (JSONValue) throws -> JSONValue) rethrows -> JSONObject {
        var result = self
        for index in members.values.indices { result.members.values[index] = try transform(members.values[index]) }
        return result
    }

    /// An object with the members that satisfy a condition.
    ///
    /// - Throws: what the closure throws.
    public func filter(_ isIncluded: (Element) throws -> Bool) rethrows -> JSONObject {
        var result = JSONObject()
        for element in self where try isIncluded(element) { result[element.key] = element.value }
        return result
    }

    /// The index of a member in ``elements``; nil if there is none with that name.
    public func index(forKey name: String) -> Int? { members.index(forKey: ExactText(name)) }

    /// The members by index.
    public var elements: Elements { Elements(members: members) }

    /// The members of an object by index.
    public struct Elements: RandomAccessCollection, Sendable {
        let members: OrderedDictionary<ExactText, JSONValue>

        /// The index of the first member.
        public var startIndex: Int { 0 }
        /// The index after the last member.
        public var endIndex: Int { members.count }

        /// The member at an index.
        public subscript(index: Int) -> Element {
            let (key, value) = members.elements[index]
            return (key.string, value)
        }
    }
}

extension JSONObject: Sequence {
    /// Goes through the members in order.
    public func makeIterator() -> IndexingIterator<Elements> { elements.makeIterator() }

    /// How many members there are.
    public var underestimatedCount: Int { count }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// Makes an object; of members with the same name the last one counts.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self.init(elements, uniquingKeysWith: { _, last in last })
    }
}
