// SPDX-License-Identifier: Apache-2.0

/// The members of a JSON object that is being decoded, for use by code that ``Generatable(_:)`` generates.
public struct DecodedMembers<Key: CodingKey> {
    private let container: KeyedDecodingContainer<Key>

    /// Creates the members of the object that a decoder decodes.
    ///
    /// - Throws: `DecodingError` if it is not an object.
    public init(of decoder: any Decoder, keyedBy type: Key.Type) throws {
        container = try decoder.container(keyedBy: type)
    }

    /// Decodes a required member.
    ///
    /// - Throws: `DecodingError` if it is missing or has another type.
    public func value<T: Decodable>(_ key: Key) throws -> T {
        try container.decode(T.self, forKey: key)
    }

    /// Decodes an optional member; nil if it is missing or null.
    ///
    /// - Throws: `DecodingError` if it has another type.
    public func optional<T: Decodable>(_ key: Key) throws -> T? {
        try container.decodeIfPresent(T.self, forKey: key)
    }

    /// Replaces a default value by the value of a member, unless the member is missing or null.
    ///
    /// - Throws: `DecodingError` if it has another type.
    public func update<T: Decodable>(_ value: inout T, _ key: Key) throws {
        if let new = try container.decodeIfPresent(T.self, forKey: key) { value = new }
    }
}
