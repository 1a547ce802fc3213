// SPDX-License-Identifier: Apache-2.0

/// An action on notes that a model requests.
public enum NoteAction: Hashable, Sendable {
    /// How a note is identified: by its identifier or by words to search for.
    public enum Target: Hashable, Sendable {
        case identifier(String)
        case search(String)
    }

    /// Creates a note.
    case create(title: String, body: String, tags: [String])
    /// Searches notes, of which at most five are shown.
    case search(query: String)
    /// Changes a note; values that are nil do not change.
    case update(Target, title: String?, body: String?, tags: [String]?)
    /// Deletes a note.
    case delete(Target)

    /// The maximum number of notes that a search shows.
    public static let maxResults = 5

    /// Reads the fields; nil if there are problems, which `fields` then contains.
    init?(_ fields: inout ActionFields) {
        enum Name: String, CaseIterable { case create, search, update, delete }
        guard let name: Name = fields.choice("action", required: true) else { return nil }
        switch name {
        case .create:
            let title = fields.text("title", required: true)
            let body = fields.text("body", mayBeEmpty: true) ?? ""
            let tags = fields.texts("tags") ?? []
            guard let title else { return nil }
            self = .create(title: title, body: body, tags: tags)
        case .search:
            guard let query = fields.text("query", required: true) else { return nil }
            self = .search(query: query)
        case .update:
            let target = Self.target(&fields)
            let title = fields.text("title")
            let body = fields.text("body", mayBeEmpty: true)
            let tags = fields.texts("tags")
            if title == nil, body == nil, tags == nil, fields.problems.isEmpty {
                fields.report("", .missing, "An update needs at least one field to change.")
            }
            guard let target else { return nil }
            self = .update(target, title: title, body: body, tags: tags)
        case .delete:
            guard let target = Self.target(&fields) else { return nil }
            self = .delete(target)
        }
    }

    private static func target(_ fields: inout ActionFields) -> Target? {
        if let identifier = fields.text("id") { return .identifier(identifier) }
        if let search = fields.text("search") { return .search(search) }
        if fields.problems.isEmpty { fields.report("search", .missing, "It needs an id or a search.") }
        return nil
    }
}
