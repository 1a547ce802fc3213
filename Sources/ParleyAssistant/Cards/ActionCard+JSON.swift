// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import ParleyCalendar
public import ParleyJSON

extension ActionCard {
    /// The card for a web page that draws it: the same words as in ``text(in:width:)``, and values beside them.
    ///
    /// The names are in snake case, instants in ISO 8601 with UTC. The contents of items are not part of it.
    ///
    /// - Parameter context: the present time and place, which decide what `today` is.
    /// - Returns: an object.
    public func json(in context: DateContext) -> JSONValue {
        let times = TimeText(context)
        var card: JSONObject = [
            "id": .string(id), "chat": .string(origin.chat), "message": .string(origin.message),
            "index": .integer(origin.index), "tag": .string(tag.rawValue), "stage": .string(stage.rawValue),
            "state": confirmation.map { .string($0.state.rawValue) } ?? nil, "headline": .string(headline),
            "status": .string(status), "text": .string(text(in: context)), "payload": .string(payload),
            "is_busy": .bool(confirmation?.isBusy ?? false), "reads_untrusted": .bool(readsUntrusted),
        ]
        card["call_id"] = callID.map { .string($0) }
        card["tool"] = tool.map { .string($0.description) }
        card["failure"] = failure.map { .string($0) }
        card["problems"] = .array(
            problems.map {
                [
                    "field": .string($0.field), "kind": .string($0.kind.rawValue),
                    "description": .string($0.description),
                ]
            })
        card["arguments"] = .array(
            arguments.map { ["name": .string($0.name), "value": .string($0.value)] })
        card["said"] = .array((action?.spokenDates ?? []).map { Self.json($0, times) })
        card["items"] = .array(plan.items.map { Self.json($0, times) })
        card["outcome"] = plan.outcome.map { Self.json($0, times) } ?? nil
        card["scope"] = plan.scope.map { .string($0.rawValue) } ?? nil
        card["moves_time"] = .bool(plan.movesTime)
        card["alternatives"] = .array(plan.alternatives.map { Self.json($0, times) })
        card["has_conflict"] = .bool(confirmation?.conflicts.isEmpty == false)
        let (conflicts, slots) = hasOpenConflicts ? (plan.conflicts, plan.freeSlots) : ([], [])
        card["conflicts"] = .array(conflicts.map { Self.json(PlannedItem($0), times) })
        card["free_slots"] = .array(slots.map { Self.json(.timed($0), times) })
        card["notices"] = .array(plan.notices.map { .string($0) })
        card["results"] = plan.results.map { Self.json($0, times) } ?? nil
        card["failures"] = .array(
            (confirmation?.failures ?? []).filter { $0.reason != ActionLogEntry.notTried }.map {
                ["item": .string($0.change.itemID?.description ?? ""), "reason": .string($0.reason)]
            })
        card["log_entry"] = logged > 0 ? .integer(logged) : nil
        card["choices"] = .array(
            choices.map { choice in
                [
                    "event": .string(choice.event.name), "value": choice.event.value, "key": .string(choice.key),
                    "label": .string(label(of: choice, times)),
                ]
            })
        return .object(card)
    }

    /// The words for a choice; where a terminal has a number beside a list, these name what is chosen.
    private func label(of choice: Choice, _ times: TimeText) -> String {
        switch choice.event {
        case .reschedule(let index): "Move to \(times.text(plan.freeSlots[index]))"
        case .choose(let index):
            "Take \(plan.alternatives[index].text(times)) instead"
        default: choice.label
        }
    }

    private static func json(_ date: SpokenDate, _ times: TimeText) -> JSONValue {
        [
            "words": .string(date.words), "instant": json(date.instant),
            "meaning": times.text(date.resolution.value).map { .string($0) } ?? nil,
            "assumptions": .array(date.resolution.assumptions.map { .string($0.description) }),
            "alternatives": .array(date.resolution.alternatives.compactMap { times.text($0) }.map { .string($0) }),
        ]
    }

    private static func json(_ time: EventTime, _ times: TimeText) -> JSONValue {
        switch time {
        case .timed(let interval):
            [
                "start": json(interval.start), "end": json(interval.end), "is_all_day": false,
                "text": .string(times.text(time)),
            ]
        case .allDay(let days):
            [
                "first_day": .string(days.lowerBound.description), "last_day": .string(days.upperBound.description),
                "is_all_day": true, "text": .string(times.text(time)),
            ]
        }
    }

    private static func json(_ item: PlannedItem, _ times: TimeText) -> JSONValue {
        var object: JSONValue = ["id": .string(item.id), "title": .string(item.title)]
        object["time"] = item.time.map { json($0, times) }
        object["location"] = item.location.map { .string($0) }
        object["text"] = item.text.map { .string($0) }
        object["recurrence"] = item.recurrence.map { .string($0) }
        return object
    }

    private static func json(_ results: ActionPlan.Results, _ times: TimeText) -> JSONValue {
        switch results {
        case .events(let events):
            ["kind": "events", "items": .array(events.map { json(PlannedItem($0), times) })]
        case .freeTimes(let slots): ["kind": "free_times", "items": .array(slots.map { json(.timed($0), times) })]
        case .notes(let notes):
            [
                "kind": "notes",
                "items": .array(
                    notes.map {
                        [
                            "id": .string($0.id.name), "title": .string($0.title), "body": .string($0.body),
                            "tags": .array($0.tags.map { .string($0) }), "changed": json($0.changed),
                        ]
                    }),
            ]
        case .text(let answer): ["kind": "text", "text": .string(answer)]
        case .contacts(let contacts): ["kind": "contacts", "items": .array(contacts.map { json($0) })]
        case .habits(let habits):
            [
                "kind": "habits",
                "items": .array(
                    habits.map {
                        [
                            "name": .string($0.name), "emoji": $0.emoji.map { .string($0) } ?? nil,
                            "unit": .string($0.unit), "days": .array($0.days.map { $0.map { .number($0) } ?? nil }),
                            "streak": .integer($0.streak), "is_weekly": .bool($0.isWeekly),
                        ]
                    }),
            ]
        case .web(let results):
            [
                "kind": "web",
                "items": .array(
                    results.map {
                        [
                            "title": .string($0.title), "url": .string($0.url.absoluteString),
                            "snippet": .string($0.snippet),
                        ]
                    }),
            ]
        }
    }

    private static func json(_ contact: StoredContact) -> JSONValue {
        func entries(_ list: [StoredContact.Entry]) -> JSONValue {
            .array(list.map { ["label": $0.label.map { .string($0) } ?? nil, "value": .string($0.value)] })
        }
        return [
            "name": .string(contact.name), "organisation": contact.organisation.map { .string($0) } ?? nil,
            "phones": entries(contact.phones), "emails": entries(contact.emails),
        ]
    }

    private static func json(_ instant: Date) -> JSONValue { .string(instant.formatted(.iso8601)) }
}

extension PlannedItem {
    /// The title with the time.
    fileprivate func text(_ times: TimeText) -> String {
        "“\(CardText.line(title, 60))”\(time.map { ", \(times.text($0))," } ?? "")"
    }
}

extension ActionCard.Event {
    /// The name of the event in JSON.
    var name: String {
        switch self {
        case .confirm: "confirm"
        case .cancel: "cancel"
        case .undo: "undo"
        case .keepConflict: "keep_conflict"
        case .cancelConflict: "cancel_conflict"
        case .reschedule: "reschedule"
        case .choose: "choose"
        case .scope: "scope"
        case .correct: "correct"
        case .appeared: "appeared"
        }
    }

    /// The value that belongs to the event; null for most.
    var value: JSONValue {
        switch self {
        case .reschedule(let index), .choose(let index): .integer(index)
        case .scope(let scope): .string(scope.rawValue)
        case .correct(let text): .string(text)
        default: .null
        }
    }

    /// Reads an event that a page sends: the name and the value of a choice.
    ///
    /// - Parameters:
    ///   - name: the name, such as `confirm` or `reschedule`.
    ///   - value: the index, the scope or the text that belongs to it.
    public init?(name: String, value: JSONValue = .null) {
        switch name {
        case "confirm": self = .confirm
        case "cancel": self = .cancel
        case "undo": self = .undo
        case "keep_conflict": self = .keepConflict
        case "cancel_conflict": self = .cancelConflict
        case "appeared": self = .appeared
        case "reschedule":
            guard let index = value.integer else { return nil }
            self = .reschedule(index)
        case "choose":
            guard let index = value.integer else { return nil }
            self = .choose(index)
        case "scope":
            guard let scope = value.string.flatMap({ EventScope(rawValue: $0) }) else { return nil }
            self = .scope(scope)
        case "correct":
            guard let text = value.string else { return nil }
            self = .correct(text)
        default: return nil
        }
    }
}
