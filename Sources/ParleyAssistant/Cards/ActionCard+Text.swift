// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import ParleyCalendar
import ParleyJSON

extension ActionCard {
    /// What the card is about, in one line.
    public var headline: String {
        guard let action else { return "\(tag.noun) (cannot be read)" }
        let title = plan.items.first?.title
        switch action {
        case .calendar(.create(let fields)): return "New event \(Self.quoted(fields.title ?? ""))"
        case .calendar(.update(let search, _)):
            return "\(plan.movesTime ? "Move" : "Change") event \(Self.quoted(title ?? search))"
        case .calendar(.reschedule(let identifier, _)): return "Move event \(Self.quoted(title ?? identifier))"
        case .calendar(.delete(let search)):
            switch plan.scope {
            case .series?: return "Delete the series \(Self.quoted(title ?? search))"
            case .occurrence?: return "Delete one date of \(Self.quoted(title ?? search))"
            case nil: return "Delete event \(Self.quoted(title ?? search))"
            }
        case .calendar(.deleteAll):
            return plan.items.count == 1 ? "Delete 1 event" : "Delete \(plan.items.count) events"
        case .calendar(.list): return "Events"
        case .calendar(.query(_, let minutes)): return "Free times of \(minutes) minutes"
        case .note(.create(let title, _, _)): return "New note \(Self.quoted(title))"
        case .note(.search(let query)): return "Notes about \(Self.quoted(query))"
        case .note(.update): return "Change note \(Self.quoted(title ?? ""))"
        case .note(.delete): return "Delete note \(Self.quoted(title ?? ""))"
        case .contacts(let query): return "Contacts \(Self.quoted(query))"
        case .habit(.create(let name, _, _, _)): return "New habit \(Self.quoted(name))"
        case .habit(.log(let habit, _)): return "Habit \(Self.quoted(title ?? habit)) for today"
        case .habit(.query): return "Habits"
        case .reminder(let title, _, _): return "Remind me of \(Self.quoted(title))"
        case .webSearch(let query, _): return "Search the web for \(Self.quoted(query))"
        case .tool(let name, _): return "Use \(CardText.line(name.tool, 60)) of \(CardText.line(name.server, 40))"
        }
    }

    /// How far the card is, in a few words.
    public var status: String {
        switch stage {
        case .malformed: return "Not understood"
        case .failed: return "Not possible"
        case .refused: return "Not allowed"
        case .planned: return "Only planned (dry run)"
        case .declined: return "Declined"
        case .done where tag == .tool: return "Answered"
        case .done where confirmation == nil: return action?.changesItems == true ? "Done elsewhere" : "Found"
        case .proposed where confirmation == nil: return "May I?"
        case .proposed, .done: break
        }
        switch confirmation?.state {
        case .pendingCreation?, .pendingDeletion?, .pendingUpdate?: return "May I?"
        case .created?: return "Done"
        case .creationCancelled?: return "Not created"
        case .deletionCancelled?: return "Not deleted"
        case .updateCancelled?: return "Not changed"
        case .deleted?: return action?.effect == .delete ? "Done" : "Taken back"
        case .updated?: return "Done"
        case .rescheduled?: return "Moved"
        case .restored?: return action?.effect == .create ? "Back again" : "As it was before"
        case .stale?: return "No longer there"
        case .incomplete?: return "Only partly taken back"
        case nil: return ""
        }
    }

    /// The card in plain English, for a terminal: what, when, where, conflicts, and what there is to choose.
    ///
    /// - Parameters:
    ///   - context: the present time and place, which decide what `today` is.
    ///   - width: the number of columns; longer texts are broken between words.
    /// - Returns: the text, of several lines without a line feed at the end.
    public func text(in context: DateContext, width: Int = 60) -> String {
        text(in: context, width: width, isAsked: true)
    }

    /// The card as ``text(in:width:)`` has it; of what there is to choose, only undoing where nobody is asked.
    package func text(in context: DateContext, width: Int, isAsked: Bool) -> String {
        let times = TimeText(context)
        var text = CardText(width: width)
        text.add(status.isEmpty ? headline : status.hasSuffix("?") ? "\(status) \(headline)" : "\(status): \(headline)")
        for problem in problems.prefix(8) {
            text.add("wrong", (problem.field.isEmpty ? "" : "\(problem.field): ") + CardText.line(problem.description))
        }
        if stage == .malformed { text.add("it says", CardText.line(payload, 240)) }
        addArguments(to: &text)
        addItem(to: &text, times)
        addSpoken(to: &text, times)
        addConflicts(to: &text, times)
        addResults(to: &text, times)
        for notice in plan.notices { text.add("note", notice) }
        for failure in confirmation?.failures.prefix(8) ?? [] where failure.reason != ActionLogEntry.notTried {
            text.add("failed", "\(failure.change.itemID?.path.split(separator: "/").last ?? ""): \(failure.reason)")
        }
        if let failure { text.add(stage == .proposed || stage == .done ? "note" : "why", failure) }
        let keys = keyLine(isAsked: isAsked)
        if !keys.isEmpty { text.add(keys) }
        return text.lines.joined(separator: "\n")
    }

    private func keyLine(isAsked: Bool) -> String {
        let choices = self.choices.filter { isAsked || $0.event == .undo }
        let slots = choices.count { if case .reschedule = $0.event { true } else { false } }
        var words = choices.compactMap { choice -> String? in
            switch choice.event {
            case .reschedule, .choose: nil
            default: "[\(choice.key)]\u{A0}\(choice.label.replacing(" ", with: "\u{A0}"))"
            }
        }
        if isAsked, !plan.alternatives.isEmpty, isPending {
            let last = choices.last { if case .choose = $0.event { true } else { false } }?.key ?? "a"
            words.append("[a\(last == "a" ? "" : "–\(last)")]\u{A0}Another\u{A0}one")
        }
        if slots > 0 { words.append("[1\(slots == 1 ? "" : "–\(slots)")]\u{A0}Move\u{A0}there") }
        if isAsked, stage == .malformed { words += ["[e]\u{A0}Edit", "[Enter]\u{A0}Leave\u{A0}it"] }
        // The spaces within a choice hold it together when the line is broken.
        return words.joined(separator: "  ")
    }

    private func addArguments(to text: inout CardText) {
        for (index, argument) in arguments.enumerated() {
            text.add(index == 0 ? "with" : "", "\(argument.name): \(argument.value)")
        }
    }

    private func addItem(to text: inout CardText, _ times: TimeText) {
        if plan.items.count > 1 || (plan.outcome == nil && !plan.items.isEmpty) {
            for item in plan.items.prefix(10) {
                text.add("", "• \(CardText.line(item.title))\(item.time.map { ", \(times.text($0))" } ?? "")")
            }
            if plan.items.count > 10 { text.add("", "… and \(plan.items.count - 10) more") }
        } else if let outcome = plan.outcome {
            let before = plan.items.first
            if let before, before.title != outcome.title { text.add("title", Self.change(before.title, outcome.title)) }
            if let time = outcome.time {
                text.add("when", times.text(time))
                if let old = before?.time, old != time { text.add("", "before: \(times.text(old))") }
            }
            if let every = outcome.recurrence { text.add("repeats", every) }
            if let location = outcome.location, location != before?.location {
                text.add("where", CardText.line(location))
            }
            if let more = outcome.text, more != before?.text, !more.isEmpty || before?.text != nil {
                text.add("text", more.isEmpty ? "(removed)" : CardText.line(more, 200))
            }
        }
        if isPending || stage == .planned, plan.scope == .occurrence { text.add("", "This date only, not the series.") }
        guard isPending || stage == .planned, !plan.alternatives.isEmpty else { return }
        for (letter, item) in zip("abcde", plan.alternatives) {
            let time = item.time.map { ", \(times.text($0))" } ?? ""
            text.add(letter == "a" ? "or" : "", "\(letter)) \(CardText.line(item.title))\(time)")
        }
    }

    /// The words for times, which the model chose for what the user said, with what they were found to mean.
    private func addSpoken(to text: inout CardText, _ times: TimeText) {
        guard let action, stage != .done || confirmation != nil else { return }
        for date in action.spokenDates {
            var meaning = times.text(date.resolution.value)
            if meaning == plan.outcome?.time.map({ times.text($0) }) { meaning = nil }
            let assumed = date.resolution.assumptions.map(\.description)
            // What is plain, such as an ISO date, needs no words.
            guard meaning != nil || !assumed.isEmpty else { continue }
            var line = "“\(CardText.line(date.words))”"
            if let meaning { line += " is \(meaning)" }
            if !assumed.isEmpty { line += "; assumed: \(assumed.joined(separator: ", "))" }
            let others = date.resolution.alternatives.compactMap { times.text($0) }.prefix(2)
            if !others.isEmpty { line += "; or \(others.joined(separator: ", or "))" }
            text.add("time", line)
        }
    }

    private func addConflicts(to text: inout CardText, _ times: TimeText) {
        guard hasOpenConflicts, !plan.conflicts.isEmpty else { return }
        for (index, event) in plan.conflicts.prefix(5).enumerated() {
            text.add(index == 0 ? "clash" : "", "\(CardText.line(event.title)), \(times.text(event.time))")
        }
        if plan.conflicts.count > 5 { text.add("", "… and \(plan.conflicts.count - 5) more") }
        for (index, slot) in plan.freeSlots.enumerated() {
            text.add(index == 0 ? "free" : "", "\(index + 1)) \(times.text(slot))")
        }
    }

    private func addResults(to text: inout CardText, _ times: TimeText) {
        let lines = resultLines(times)
        if plan.results != nil, lines.isEmpty { text.add("", tag == .tool ? "Nothing." : "Nothing was found.") }
        for line in lines { text.add("", line) }
    }

    /// The largest number of events of which a text has a line.
    static let maxEvents = 50

    /// A line for each result, and one for those that are left out.
    func resultLines(_ times: TimeText) -> [String] {
        switch plan.results {
        case .events(let events)?: Self.lines(of: events, times)
        case .freeTimes(let slots)?: slots.map { "• \(times.text($0))" }
        case .notes(let notes)?: notes.map { "• \(CardText.line($0.title)): \(CardText.line($0.body, 200))" }
        case .contacts(let contacts)?:
            contacts.map { contact in
                let entries = (contact.phones + contact.emails).map { entry in
                    (entry.label.map { "\(CardText.line($0)) " } ?? "") + CardText.line(entry.value)
                }
                let organisation = contact.organisation.map { " (\(CardText.line($0)))" } ?? ""
                return "• \(CardText.line(contact.name))\(organisation): \(entries.joined(separator: ", "))"
            }
        case .habits(let habits)?:
            habits.map { habit in
                let unit = habit.isWeekly ? "week" : "day"
                let streak = "\(habit.streak) \(unit)\(habit.streak == 1 ? "" : "s") in a row"
                let total = habit.unit == "boolean" ? "" : ", \(ActionPlanner.text(habit.total)) in all"
                return "• \(CardText.line(habit.name)): \(habit.doneDays) of 7 days\(total), \(streak)"
            }
        case .web(let results)?:
            results.enumerated().map {
                "\($0.offset + 1). \(CardText.line($0.element.title)), \(CardText.line($0.element.url.absoluteString))"
            }
        case .text(let answer)?:
            Self.lines(of: answer)
        case nil: []
        }
    }

    private static func lines(of events: [StoredEvent], _ times: TimeText) -> [String] {
        let lines = events.prefix(maxEvents).map { event in
            let place = event.location.map { ", \(CardText.line($0))" } ?? ""
            return "• \(times.text(event.time)): \(CardText.line(event.title))\(place)"
        }
        return events.count > maxEvents ? lines + ["… and \(events.count - maxEvents) more"] : lines
    }

    /// The first lines of what a tool answered.
    private static func lines(of answer: String) -> [String] {
        let lines = answer.split(omittingEmptySubsequences: true, whereSeparator: \.isNewline)
        let shown = lines.prefix(8).map { CardText.line(String($0.prefix(1_000)), 200) }.filter { !$0.isEmpty }
        return lines.count > 8 ? shown + ["… and \(lines.count - 8) more lines"] : shown
    }

    /// The largest number of characters of a text in a headline.
    static let longestQuoted = 60

    private static func quoted(_ text: String) -> String { "“\(CardText.line(text, longestQuoted))”" }
    private static func change(_ old: String, _ new: String) -> String {
        "\(CardText.line(new)) (before: \(CardText.line(old)))"
    }
}

extension ActionTag {
    /// What the tag is about, in a word.
    fileprivate var noun: String {
        switch self {
        case .webSearch: "Web search"
        case .calendar: "Calendar"
        case .note: "Note"
        case .contacts: "Contacts"
        case .habit: "Habit"
        case .reminder: "Reminder"
        case .tool: "Tool"
        }
    }
}

extension Action {
    /// The dates in the user's words.
    var spokenDates: [SpokenDate] {
        switch self {
        case .calendar(.create(let fields)): return [fields.start, fields.end].compactMap { $0 }
        case .calendar(.update(_, let fields)), .calendar(.reschedule(_, let fields)):
            // What a time without a day means depends on the event, which is shown with it.
            let dates = [fields.start, fields.end].compactMap { $0 }
            return fields.start?.hasDay == true ? dates : dates.filter(\.hasDay)
        case .reminder(_, _, let at): return [at]
        default: return []
        }
    }
}
