// SPDX-License-Identifier: Apache-2.0

/// The name of a member, for the code that ``Generatable(_:)`` writes.
public struct GenerationKey: CodingKey, ExpressibleByStringLiteral {
    /// The name.
    public let stringValue: String
    /// Nil: members have names.
    public var intValue: Int? { nil }

    /// Takes a name.
    public init(stringValue: String) {
        self.stringValue = stringValue
    }

    /// Nil: members have names.
    public init?(intValue: Int) { nil }

    /// Takes a name.
    public init(stringLiteral value: String) {
        stringValue = value
    }
}
