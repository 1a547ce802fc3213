// SPDX-License-Identifier: Apache-2.0

/// The name of a member, for use by code that ``Generatable(_:)`` generates.
public struct GenerationKey: CodingKey, ExpressibleByStringLiteral {
    /// The name.
    public let stringValue: String
    /// Always nil, because members have names.
    public var intValue: Int? { nil }

    /// Creates a key with a name.
    public init(stringValue: String) {
        self.stringValue = stringValue
    }

    /// Always nil, because members have names.
    public init?(intValue: Int) { nil }

    /// Creates a key with a name.
    public init(stringLiteral value: String) {
        stringValue = value
    }
}
