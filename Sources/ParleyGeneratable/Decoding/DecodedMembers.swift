// SPDX-License-Identifier: Apache-2.0

/// The members of an object that is being decoded, for the code that ``Generatable(_:)`` writes.
public struct DecodedMembers<Key: CodingKey> {
    private let container: KeyedDecodingContainer<Key>

    /// Takes the members of a decoder's object.
    ///
    /// - Throws: `DecodingError` where it is no object.
    public init(of decoder: any Decoder, keyedBy type: Key.Type) throws {
        container = try decoder.container(keyedBy: type)
    }

    /// The value of a required member.
    ///
    /// - Throws: `DecodingError` where it is missing or has another type.
    public func value<T: Decodable>(_ key: Key) throws -> T {
        try container.decode(T.self, forKey: key)
    }

    /// The value of a member; nil where it is missing or null.
    ///
    /// - Throws: `DecodingError` where it has another type.
    public func optional<T: Decodable>(_ key: Key) throws -> T? {
        try container.decodeIfPresent(T.self, forKey: key)
    }

    /// Replaces a default value by that of a member, unless it is missing or null.
    ///
    /// - Throws: `DecodingError` where it has another type.
    public func update<T: Decodable>(_ value: inout T, _ key: Key) throws {
        if let new = try container.decodeIfPresent(T.self, forKey: key) { value = new }
    }
}
