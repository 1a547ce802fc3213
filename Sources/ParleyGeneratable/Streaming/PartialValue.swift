// SPDX-License-Identifier: Apache-2.0

import Foundation
import OrderedCollections
import ParleyConversation
import ParleyJSON

/// The part of a JSON value that has been generated so far.
///
/// Strings, numbers, Booleans and null appear once they are complete. Objects and arrays appear once they contain a
/// complete value, and may still grow.
public struct PartialValue: Hashable, Sendable {
    private let value: JSONValue
    /// The number of objects and arrays that are still open: this value, its last part, the last part of that, and so
    /// on.
    private let openDepth: Int

    init(_ value: JSONValue, openDepth: Int) {
        self.value = value
        self.openDepth = openDepth
    }

    /// Whether the value is complete.
    public var isComplete: Bool { openDepth == 0 }

    /// Whether the value is `null`.
    public var isNull: Bool { value.isNull }

    /// The elements of an array generated so far; nil if this is not an array.
    public var elements: [PartialValue]? {
        guard let elements = value.array else { return nil }
        return elements.indices.map { part(elements[$0], isLast: $0 == elements.count - 1) }
    }

    /// The members of an object generated so far; nil if this is not an object.
    public var members: [(name: String, value: PartialValue)]? {
        guard let members = value.object else { return nil }
        return members.elements.indices.map { index in
            let (name, value) = members.elements[index]
            return (name, part(value, isLast: index == members.count - 1))
        }
    }

    /// The part of a member generated so far; nil if there is none.
    public func member<T: Generatable>(_ name: String, _ type: T.Type) -> T.Partial? {
        guard let members = value.object, let index = members.index(forKey: name) else { return nil }
        return T.partial(from: part(members.elements[index].value, isLast: index == members.count - 1))
    }

    /// Decodes the value as a type; nil if it is incomplete or of another type.
    public func decoded<T: Decodable>(as type: T.Type) -> T? {
        guard isComplete else { return nil }
        // Most values have one of these types, for which creating a decoder would take far longer than this check.
        switch value {
        case .string(let text): if let text = text as? T { return text }
        case .integer(let number): if let number = number as? T { return number }
        case .bool(let bool): if let bool = bool as? T { return bool }
        default: break
        }
        return try? ModelJSON.decode(type, from: Data(value.text().utf8))
    }

    private func part(_ part: JSONValue, isLast: Bool) -> PartialValue {
        PartialValue(part, openDepth: isLast ? max(openDepth - 1, 0) : 0)
    }
}
