// SPDX-License-Identifier: Apache-2.0

public import ParleyConversation

extension ActionCard {
    /// What a model is told about the card, as the result of its function call or for its next turn: whether the action
    /// was carried out, and what it found. Texts of others are without the beginnings of blocks.
    ///
    /// - Parameter context: the present time and place.
    /// - Returns: the text, of one or several lines.
    public func textForModel(in context: DateContext) -> String {
        let times = TimeText(context)
        let answer: String
        switch stage {
        case .malformed:
            answer = "Not carried out. " + problems.map { "\($0.field): \($0.description)" }.joined(separator: " ")
        case .failed, .refused: answer = "Not carried out. \(failure ?? "")"
        case .planned: answer = "Not carried out: this is a dry run."
        case .declined: answer = "Not carried out: the user declined."
        case .proposed: answer = "The user is being asked; it is not carried out yet."
        case .done where confirmation != nil || action?.changesItems == true:
            answer = "\(headline): \(status)."
        case .done where tag == .tool:
            if case .text(let text)? = plan.results, !text.isEmpty { answer = text } else { answer = "Done." }
        case .done:
            var lines = resultLines(times)
            if case .web(let results)? = plan.results {
                lines = results.isEmpty ? [] : ["The results are given in the next turn."]
            } else if case .events(let events)? = plan.results {
                let shown = events.prefix(Self.maxEvents)
                lines = zip(lines, shown).map { "\($0) (id \($1.id))" } + lines.dropFirst(shown.count)
            }
            answer = lines.isEmpty ? "Nothing was found." : lines.joined(separator: "\n")
        }
        return ActionTag.defusing(answer)
    }
}

extension AssistantStores {
    /// The tags of the actions for which there is a store.
    public var tags: [ActionTag] {
        let isThere: [(ActionTag, Bool)] = [
            (.webSearch, web != nil), (.calendar, calendar != nil), (.note, notes != nil),
            (.contacts, contacts != nil), (.habit, habits != nil), (.reminder, reminders != nil),
        ]
        return isThere.filter(\.1).map(\.0)
    }

    /// The functions that replace the blocks for models that are trained for function calls.
    public var functions: [Function] { tags.map(\.function) }
}
