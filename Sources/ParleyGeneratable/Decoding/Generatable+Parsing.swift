// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyConversation

extension Generatable {
    /// Creates a value from the JSON text of a reply, in which dates have the form of RFC 3339 and data is in base64.
    ///
    /// - Throws: ``ConversationError`` with code `serializationFailed` if the text is not such a value.
    public init(parsing text: String) throws {
        do {
            self = try ReplyDecoder.decode(Self.self, from: Data(text.utf8))
        } catch {
            throw ConversationError(
                .serializationFailed,
                """
                The reply is no \(Self.self)\(ReplyDecoder.place(of: error)). Hold the model to \(Self.self).jsonSchema: \
                see GenerationOptions.setResponseFormat(type:).
                """, cause: error)
        }
    }
}

/// Decodes values from JSON.
enum ReplyDecoder {
    static func decode<T: Decodable>(_ type: T.Type, from data: Data) throws -> T {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let container = try decoder.singleValueContainer()
            if let date = date(try container.decode(String.self)) { return date }
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "no date and time of RFC 3339")
        }
        return try decoder.decode(type, from: data)
    }

    /// Parses a date and time in the form of RFC 3339, in upper or lower case, with or without fractions of a second.
    static func date(_ text: String) -> Date? {
        var text = text.uppercased()
        // Foundation allows time zone offsets of up to 18 hours, RFC 3339 of up to 24 hours, so the offset is parsed
        // here.
        var offset: TimeInterval = 0
        if let match = text.firstMatch(of: /([+-])([0-9]{2}):([0-9]{2})$/), let hours = TimeInterval(match.2),
            let minutes = TimeInterval(match.3)
        {
            offset = (hours * 60 + minutes) * (match.1 == "-" ? -60 : 60)
            text.replaceSubrange(match.range, with: "Z")
        }
        let hasFraction = text.utf8.contains(UInt8(ascii: "."))
        return try? Date.ISO8601FormatStyle(includingFractionalSeconds: hasFraction).parse(text) - offset
    }

    /// The path at which decoding failed, made of property names only; it contains no other text of the reply.
    static func place(of error: any Error) -> String {
        let context: DecodingError.Context? =
            switch error as? DecodingError {
            case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
                .dataCorrupted(let context):
                context
            default: nil
            }
        guard let path = context?.codingPath, !path.isEmpty else { return "" }
        return " (at \(path.map { key in key.intValue.map { "[\($0)]" } ?? ".\(key.stringValue)" }.joined()))"
    }
}
