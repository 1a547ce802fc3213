// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Decodes what a model wrote in JSON, replies and arguments: dates have the form of RFC 3339, and data is in base64.
package enum ModelJSON {
    /// Decodes a value.
    ///
    /// - Throws: `DecodingError`.
    package static func decode<T: Decodable>(_ type: T.Type, from data: Data) throws -> T {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let container = try decoder.singleValueContainer()
            if let date = date(try container.decode(String.self)) { return date }
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "no date and time of RFC 3339")
        }
        return try decoder.decode(type, from: data)
    }

    /// Parses a date and time in the form of RFC 3339, in upper or lower case, with or without fractions of a second.
    private static func date(_ text: String) -> Date? {
        // Foundation allows offsets of up to 18 hours, RFC 3339 of up to 24, and text after the date, so both are read here.
        let form = /([0-9-]{10}T[0-9:]{8}(?:\.[0-9]+)?)(?:Z|([+-])([01][0-9]|2[0-3]):([0-5][0-9]))/
        guard let match = text.uppercased().wholeMatch(of: form) else { return nil }
        let (_, time, sign, hours, minutes) = match.output
        let offset = (hours.flatMap { Double($0) } ?? 0) * 3600 + (minutes.flatMap { Double($0) } ?? 0) * 60
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: time.utf8.contains(UInt8(ascii: ".")))
        guard let date = try? style.parse("\(time)Z") else { return nil }
        return sign == "-" ? date + offset : date - offset
    }

    /// Where decoding failed, as an addition to a sentence; empty for the value itself. It has names of properties
    /// and keys of dictionaries, and no values.
    package static func place(of error: any Error) -> String {
        let path: [any CodingKey] =
            switch error as? DecodingError {
            case .keyNotFound(let key, let context): context.codingPath + [key]
            case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
                context.codingPath
            default: []
            }
        guard !path.isEmpty else { return "" }
        return " (at \(path.map { key in key.intValue.map { "[\($0)]" } ?? ".\(key.stringValue)" }.joined()))"
    }
}
