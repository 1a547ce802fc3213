// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The identity of a conversation, which is saved with it.
public struct ConversationID: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
    /// The id.
    public let rawValue: UUID

    /// Creates the id of a conversation that has one already.
    public init(rawValue: UUID) {
        self.rawValue = rawValue
    }

    /// Creates an id that no other conversation has.
    public init() {
        self.init(rawValue: UUID())
    }

    /// Reads the id as a text, as ``encode(to:)`` writes it.
    ///
    /// - Throws: what the decoder throws.
    public init(from decoder: any Decoder) throws {
        self.init(rawValue: try decoder.singleValueContainer().decode(UUID.self))
    }

    /// Writes the id as a text.
    ///
    /// - Throws: what the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }

    /// The id, for logs.
    public var description: String { rawValue.uuidString }
}
