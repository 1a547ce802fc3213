// SPDX-License-Identifier: Apache-2.0

public import ParleyJSON
import ParleySystem

/// Decodes actions from the payloads of blocks and the arguments of function calls.
///
/// Dates may be in the user's own words. They are resolved here, so that the model need not calculate them; a
/// ``SpokenDate`` contains both the words and their meaning, for the card.
///
/// ```swift
/// let decoder = ActionDecoder(context: context)
/// let action = try decoder.action(.reminder, ["title": "Call mum", "at": "in 20 minutes"])
/// ```
public struct ActionDecoder: Sendable {
    /// The time and place in which the words are said.
    public var context: DateContext
    /// Resolves the words of dates.
    public var resolver: DateResolver

    /// Creates a decoder for words that are said in a context.
    public init(context: DateContext, resolver: DateResolver = DateResolver()) {
        (self.context, self.resolver) = (context, resolver)
    }

    /// Decodes the action in a payload.
    ///
    /// - Throws: ``ActionError`` with the problems of all fields, so that a card can show all of them at once.
    public func action(_ tag: ActionTag, _ payload: JSONValue) throws(ActionError) -> Action {
        guard let members = payload.object else {
            throw ActionError(problems: [ActionProblem("", .type, "A JSON object is expected.")])
        }
        var fields = ActionFields(members, resolver: resolver, context: context)
        let action = read(tag, &fields)
        guard let action, fields.problems.isEmpty else { throw ActionError(problems: fields.problems) }
        return action
    }

    /// Decodes the action in a block.
    ///
    /// - Throws: ``ActionError``; if the block itself has a fault, it contains only one problem, with the whole action.
    public func action(_ block: ActionBlock) throws(ActionError) -> Action {
        guard let arguments = block.arguments else {
            let text =
                switch block.fault {
                case .unclosed?: "The block is not complete."
                case .bare?: "The brackets around the block are missing."
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
        case .tool: return nil
        case .contacts: return fields.text("query", required: true).map { .contacts(query: $0) }
        case .webSearch:
            // What a card shows is what is sent: one line, of what can be seen.
            let query = fields.text("query", required: true).map { PlainText.line($0, upTo: Action.maxQuery) }
            if query == "" { fields.report("query", .value, "It is empty.") }
            let count = fields.integer("maxResults", in: 1...10) ?? 5
            return query.map { .webSearch(query: $0, maxResults: count) }
        case .reminder:
            let title = fields.text("title", required: true)
            let body = fields.text("body")
            guard var at = fields.date("at", required: true) else { return nil }
            // A day without a time means the start of its morning, or the next part of today.
            if case .days(let days) = at.resolution.value {
                let day = context.parts
                let parts = [day.morning, day.afternoon, day.evening, day.night]
                let times = parts.map { context.clock.instant(days.lowerBound, $0.lowerBound) }
                at.instant = times.first { $0 > context.now } ?? times[0]
                at.resolution.assumptions.append(.partOfDay)
            }
            if at.instant <= context.now { fields.report("at", .past, "The time is over.") }
            return title.map { .reminder(title: $0, body: body, at: at) }
        }
    }
}
