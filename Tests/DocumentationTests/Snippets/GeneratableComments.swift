// SPDX-License-Identifier: Apache-2.0

import Parley

// The examples in the comments of ParleyGeneratable, word for word.

private func show(_ text: String) {}

private enum GeneratableComments {
    @Generatable("A recipe")
    struct Recipe {
        @Guide("Its name, in a few words")
        var name: String
        @Guide("Minutes at the stove", .range(1...240))
        var minutes: Int
        @Guide("What goes in", .count(1...12))
        var ingredients: [String]
    }

    func recipe(_ conversation: Conversation) async throws -> Recipe {
        try await conversation.reply(to: "Soup for two.", generating: Recipe.self)
    }

    struct Celsius: Generatable {
        var degrees: Double

        static func schema(in builder: inout SchemaBuilder) -> JSONSchema { .number(minimum: -273.15) }

        init(from decoder: any Decoder) throws {
            degrees = try decoder.singleValueContainer().decode(Double.self)
        }
    }

    @Generatable("What the customer wants")
    struct Order {
        @Generatable enum Urgency: String { case low, high }

        @Guide("One sentence", .count(1...200))
        var summary: String
        var urgency: Urgency
        var orderNumber: Int?
        var labels: [String] = []
    }

    @Generatable
    struct Review {
        @Guide("Stars", .range(1...5)) var stars: Int
        @Guide("Year and month", .pattern("^20[0-9]{2}-(0[1-9]|1[0-2])$")) var month: String
        @Guide("Two or three tags", .count(2...3), .anyOf(["spicy", "sweet", "sour"])) var tags: [String]
    }

    func cook(_ conversation: Conversation) async throws {
        for try await response in conversation.streamResponse(to: "Soup for two.", generating: Recipe.self) {
            switch response {
            case .partial(let recipe): show(recipe.name ?? "…")
            case .complete(let recipe, _): show("\(recipe.name): \(recipe.minutes) minutes")
            case .functionCall: break
            }
        }
    }

    func minutes(_ conversation: Conversation) async throws -> Int {
        try await conversation.reply(to: "Soup for two.", generating: Recipe.self).minutes
    }

    func text(_ conversation: Conversation) async throws -> String {
        var options = GenerationOptions(temperature: 0)
        options.setResponseFormat(type: Recipe.self)
        let reply = conversation.reply(to: "Soup for two.", generationOptions: options)
        return try await reply.completion.message.text
    }
}
