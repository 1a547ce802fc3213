// SPDX-License-Identifier: Apache-2.0

import Parley

@Generatable("What a guest thinks of the restaurant")
struct Review {
    @Generatable enum Sentiment: String { case positive, neutral, negative }

    var sentiment: Sentiment
    @Guide("From 1, bad, to 5, excellent", .range(1...5))
    var stars: Int
    @Guide("What the guest talks about", .count(1...3))
    var topics: [String]
    @Guide("The dish that is recommended", .count(1...40))
    var favourite: String?
}

/// The examples of StructuredOutput.md, to be compiled.
enum StructuredOutput {
    struct Unfinished: Error {}

    @Sendable static func show(_ text: String) {}

    static func asking(_ conversation: Conversation, _ text: String) async throws {
        let review = try await conversation.reply(to: text, generating: Review.self)
        show("\(review.stars) stars, \(review.sentiment)")
    }

    static func streaming(_ conversation: Conversation, _ text: String) async throws {
        for try await response in conversation.streamResponse(to: text, generating: Review.self) {
            switch response {
            case .partial(let review): show(review.topics?.joined(separator: ", ") ?? "…")
            case .complete(let review, _): show("\(review.stars) stars")
            case .functionCall: break
            }
        }
    }

    static func calling(_ conversation: Conversation, _ tools: [FunctionTool], _ text: String) async throws {
        var options = GenerationOptions()
        options.setResponseFormat(type: Review.self)
        let loop = FunctionLoop(conversation: conversation, tools: tools)
        for try await event in loop.run(.user(text), generationOptions: options) {
            guard case .finished(let outcome) = event, let completion = outcome.completion else { continue }
            guard outcome.reason == .answered else { throw Unfinished() }
            let review = try Review(parsing: completion.message.text)
            show("\(review.stars) stars")
        }
    }

    static func describing(_ conversation: Conversation, _ text: String) async throws -> String {
        let schema: JSONSchema = .object([
            "answer": .string(description: "One sentence"),
            "confidence": .number(minimum: 0, maximum: 1),
        ])
        let options = GenerationOptions(maxTokens: 200, jsonSchemaConstraint: schema)
        let reply = try await conversation.reply(to: text, generationOptions: options).completion
        guard reply.finishReason == .stop else { throw Unfinished() }
        let json = reply.message.text
        return json
    }

    static func hiding(_ schema: JSONSchema) -> GenerationOptions {
        let options = GenerationOptions(jsonSchemaConstraint: schema, injectSchemaIntoPrompt: false)
        return options
    }
}
