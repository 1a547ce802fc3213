// SPDX-License-Identifier: Apache-2.0

/// The members of an object that is being decoded, for the code that ``Generatable(_:)`` writes.
public struct DecodedMembers<Key: CodingKey> {
    private let container: KeyedDecodingContainer<Key>

    /// Takes the members of the object that a decoder stands at.
    public init(of decoder: any Decoder, keyedBy type: Key.Type) throws {
        container = try decoder.container(keyedBy: type)
    }

    /// The value of a member that has to be there.
    public func value<T: Decodable>(_ key: Key) throws -> T {
        try container.decode(T.self, forKey: key)
    }

    /// The value of a member, nil where it is not there or null.
    public func optional<T: Decodable>(_ key: Key) throws -> T? {
        try container.decodeIfPresent(T.self, forKey: key)
    }

    /// Replaces a default value by that of a member, where it is there and not null.
    public func update<T: Decodable>(_ value: inout T, _ key: Key) throws {
        if let new = try container.decodeIfPresent(T.self, forKey: key) { value = new }
    }
}
