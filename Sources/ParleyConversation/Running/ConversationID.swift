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

    /// Creates the id of an existing conversation.
    public init(rawValue: UUID) {
        self.rawValue = rawValue
    }

    /// Creates a new, unique id.
    public init() {
        self.init(rawValue: UUID())
    }

    /// Decodes the id from the string that ``encode(to:)`` writes.
    ///
    /// - Throws: any error of the decoder.
    public init(from decoder: any Decoder) throws {
        self.init(rawValue: try decoder.singleValueContainer().decode(UUID.self))
    }

    /// Encodes the id as a string.
    ///
    /// - Throws: any error of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }

    /// The id as a string, for logs.
    public var description: String { rawValue.uuidString }
}
