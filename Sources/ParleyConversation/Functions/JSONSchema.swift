// SPDX-License-Identifier: Apache-2.0

public import ParleyJSON

/// A JSON Schema (2020-12): what a reply or a function's arguments have to look like.
///
/// ```swift
/// let city: JSONSchema = .object([
///     "name": .string(description: "The city's name"),
///     "population": .integer(minimum: 0),
/// ])
/// let same = try JSONSchema(parsing: #"{"type": "object"}"#)
/// ```
///
/// The schema is not checked when it is created. If an engine cannot enforce it, using it is an error.
public struct JSONSchema: Hashable, Sendable {
    /// The schema itself.
    public var value: JSONValue

    /// Takes a schema as a JSON value.
    public init(_ value: JSONValue) {
        self.value = value
    }

    /// Reads a schema from its text.
    ///
    /// - Throws: ``ConversationError`` with code `invalidInput` where the text is neither an object nor a boolean in
    ///   JSON.
    public init(parsing text: String) throws {
        let value: JSONValue
        do {
            value = try JSONValue(parsing: text)
        } catch {
            throw ConversationError(.invalidInput, "The schema is not JSON: \(error)", cause: error)
        }
        guard value.object != nil || value.bool != nil else {
            throw ConversationError(.invalidInput, "A schema is a JSON object or a boolean; this is neither.")
        }
        self.value = value
    }

    /// The schema as compact JSON.
    public var text: String { value.text() }
}

extension JSONSchema: Codable {
    /// Decodes a schema. Decoders that do not preserve the order of object members lose it.
    ///
    /// - Throws: what the decoder throws.
    public init(from decoder: any Decoder) throws {
        value = try JSONTree(from: decoder).value
    }

    /// Encodes the schema as the JSON value that it is.
    ///
    /// - Throws: what the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        try JSONTree(value).encode(to: encoder)
    }
}
