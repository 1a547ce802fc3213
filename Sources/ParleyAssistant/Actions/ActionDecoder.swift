// SPDX-License-Identifier: Apache-2.0

public import ParleyJSON

/// Makes actions of the payloads of blocks and of the arguments of function calls.
///
/// Dates may be in the user's own words, which are resolved here, so that a model need not compute them; the
/// ``SpokenDate`` keeps words and meaning together for the card.
///
/// ```swift
/// let decoder = ActionDecoder(context: context)
/// let action = try decoder.action(.reminder, ["title": "Call mum", "at": "in 20 minutes"])
/// ```
public struct ActionDecoder: Sendable {
    /// When and where the words are said.
    public var context: DateContext
    /// Resolves the words.
    public var resolver: DateResolver

    /// A decoder for what is said in a context.
    public init(context: DateContext, resolver: DateResolver = DateResolver()) {
        (self.context, self.resolver) = (context, resolver)
    }

    /// The action of a payload.
    ///
    /// - Throws: ``ActionError`` with what is wrong with each field; nothing that can be put right is left out, so that a
    ///   card shows all of it at once.
    public func action(_ tag: ActionTag, _ payload: JSONValue) throws(ActionError) -> Action {
        guard let members = payload.object else {
            throw ActionError(problems: [ActionProblem("", .type, "A JSON object is expected.")])
        }
        var fields = ActionFields(members, resolver: resolver, context: context)
        let action = read(tag, &fields)
        guard let action, fields.problems.isEmpty else { throw ActionError(problems: fields.problems) }
        return action
    }

    /// The action of a block.
    ///
    /// - Throws: ``ActionError``; of a block with a fault it has one problem, that of the whole.
    public func action(_ block: ActionBlock) throws(ActionError) -> Action {
        guard let arguments = block.arguments else {
            let text =
                switch block.fault {
                case .unclosed?: "The block is not complete."
                case .tooLong?: "The block is too long."
                case .json(let text)?: "The block is not JSON: \(text)"
                case .shape?, nil: "The block holds no JSON object between its tag and its bracket."
                }
            throw ActionError(problems: [ActionProblem("", .type, text)])
        }
        return try action(block.tag, arguments)
    }

    private func read(_ tag: ActionTag, _ fields: inout ActionFields) -> Action? {
        switch tag {
        case .calendar: return CalendarAction(&fields).map { .calendar($0) }
        case .note: return NoteAction(&fields).map { .note($0) }
        case .habit: return HabitAction(&fields).map { .habit($0) }
        case .contacts: return fields.text("query", required: true).map { .contacts(query: $0) }
        case .webSearch:
            let query = fields.text("query", required: true)
            let count = fields.integer("maxResults", in: 1...10) ?? 5
            return query.map { .webSearch(query: $0, maxResults: count) }
        case .reminder:
            let title = fields.text("title", required: true)
            let body = fields.text("body")
            guard var at = fields.date("at", required: true) else { return nil }
            // A day without a time is its morning.
            if case .days(let days) = at.resolution.value {
                at.instant = context.clock.instant(days.lowerBound, context.parts.morning.lowerBound)
                at.resolution.assumptions.append(.partOfDay)
            }
            if at.instant <= context.now { fields.report("at", .past, "The time is over.") }
            return title.map { .reminder(title: $0, body: body, at: at) }
        }
    }
}
