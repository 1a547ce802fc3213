// SPDX-License-Identifier: Apache-2.0

import Foundation
import Parley

/// The examples of StructuredOutput.md, to be compiled.
enum StructuredOutput {
    struct Unfinished: Error {}

    struct Review: Decodable {
        var sentiment: String
        var score: Int
        var topics: [String]
    }

    static func review(_ conversation: Conversation, _ text: String) async throws -> Review {
        let schema: JSONSchema = .object([
            "sentiment": .string(oneOf: ["positive", "neutral", "negative"]),
            "score": .integer(description: "From 1, bad, to 5, excellent", minimum: 1, maximum: 5),
            "topics": .array(of: .string(), maxItems: 3),
        ])
        let options = GenerationOptions(temperature: 0, maxTokens: 200, jsonSchemaConstraint: schema)
        let reply = try await conversation.reply(to: text, generationOptions: options)
        guard reply.finishReason == .stop else { throw Unfinished() }
        let review = try JSONDecoder().decode(Review.self, from: Data(reply.message.text.utf8))
        return review
    }

    static func parsing() throws -> JSONSchema {
        let schema = try JSONSchema(parsing: #"{"type": "object", "properties": {"name": {"type": "string"}}}"#)
        return schema
    }

    static func hiding(_ schema: JSONSchema) -> GenerationOptions {
        let options = GenerationOptions(jsonSchemaConstraint: schema, injectSchemaIntoPrompt: false)
        return options
    }
}
