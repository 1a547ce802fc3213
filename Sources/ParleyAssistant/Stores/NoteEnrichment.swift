// SPDX-License-Identifier: Apache-2.0

public import ParleyConversation
import ParleyJSON
import ParleySystem

/// What a model has found out about a note: a summary, what is to be done, and what kind of note it is.
public struct NoteEnrichment: Hashable, Sendable {
    /// What a note is about.
    public enum Category: String, Hashable, Sendable, CaseIterable {
        case work, home, family, health, finance, travel, shopping, learning, ideas, other
    }

    /// The note in a sentence.
    public var summary: String
    /// What the note says is to be done; often nothing.
    public var actionItems: [String]
    /// What kind of note it is.
    public var category: Category

    /// The largest number of characters of the summary.
    public static let maxSummary = 240
    /// The largest number of action items.
    public static let maxItems = 5
    /// The largest number of characters of an action item.
    public static let maxItem = 120

    /// Creates an enrichment; texts become one line each, of bounded length, that cannot begin an action block.
    public init(summary: String, actionItems: [String] = [], category: Category = .other) {
        self.summary = Self.line(summary, Self.maxSummary)
        self.actionItems = Array(
            actionItems.prefix(Self.maxItems).map { Self.line($0, Self.maxItem) }.filter { !$0.isEmpty })
        self.category = category
    }

    /// The schema to which a model is held.
    public static let schema = JSONSchema.object([
        "summary": .string(description: "The note in one sentence."),
        "action_items": .array(of: .string(), maxItems: maxItems),
        "category": .string(oneOf: Category.allCases.map(\.rawValue)),
    ])

    /// Reads what a model has written; nil if it is not as ``schema`` says, or has no summary.
    public init?(parsing text: String) {
        guard let json = try? JSONValue(parsing: text), let summary = json["summary"]?.string,
            let items = json["action_items"]?.array, items.allSatisfy({ $0.string != nil }),
            let category = json["category"]?.string.flatMap(Category.init(rawValue:))
        else { return nil }
        self.init(summary: summary, actionItems: items.compactMap(\.string), category: category)
        if self.summary.isEmpty { return nil }
    }

    private static func line(_ text: String, _ limit: Int) -> String {
        ActionTag.defusing(PlainText.line(text, upTo: limit))
    }
}
