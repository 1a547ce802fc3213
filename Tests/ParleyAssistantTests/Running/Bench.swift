// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAssistant
import ParleyCalendar
import ParleyConversation
import ParleyTestSupport
import ParleyTesting
import Synchronization
import Testing

/// A runner over stores in memory and a log in a directory that goes with it; it is Wednesday, 18 November 2026, 14:30.
struct Bench {
    static let chat = "chat"
    let items = MemoryItems()
    let context: DateContext
    let calendar: MemoryCalendar
    let notes: MemoryNotes
    let habits: MemoryHabits
    let web: MemoryWeb
    let stores: AssistantStores
    let directory: TemporaryDirectory
    let runner: ActionRunner

    init(
        _ settings: ActionRunner.Settings = ActionRunner.Settings(), contacts: [StoredContact] = [],
        web: MemoryWeb = MemoryWeb(), clock: any Clock<Duration> = ManualClock(), tools: [AssistantTool] = []
    ) async throws {
        let context = try DateResolverTests.context()
        self.context = context
        calendar = MemoryCalendar(items: items, clock: context.clock)
        notes = MemoryNotes(items: items)
        habits = MemoryHabits(items: items, clock: context.clock)
        self.web = web
        stores = AssistantStores(
            calendar: calendar, reminders: MemoryReminders(items: items), notes: notes, habits: habits,
            contacts: MemoryContacts(contacts: contacts), web: web, pages: web, tools: tools)
        directory = try TemporaryDirectory()
        runner = await ActionRunner(
            stores: stores, log: try ActionLog(at: directory.url.appending(path: "actions.jsonl")), settings: settings,
            clock: clock
        ) { context }
    }

    /// An instant in the week of the tests: days from Wednesday, hours, minutes.
    func time(_ days: Int, _ hour: Int, _ minute: Int = 0) throws -> Date {
        context.clock.instant(
            context.clock.day(of: context.now) + days, try #require(LocalTime(hour: hour, minute: minute)))
    }

    func interval(_ days: Int, _ from: Int, _ to: Int) throws -> DateInterval {
        DateInterval(start: try time(days, from), end: try time(days, to))
    }

    @discardableResult
    func add(
        _ title: String, _ days: Int, _ from: Int, _ to: Int, isBusy: Bool = true, every: Int? = nil, count: Int = 1
    ) throws -> StoredEvent.ID {
        var event = MemoryCalendar.Event(title: title, time: .timed(try interval(days, from, to)), isBusy: isBusy)
        (event.every, event.count) = (every, count)
        var id = try calendar.add(event)
        if every != nil { id.recurrence = "0" }
        return id
    }

    func reply(
        _ text: String, message: String = "m1", finish: FinishReason? = .stop, untrusted: Bool = false,
        mode: FinishedReply.Mode = .full
    ) -> FinishedReply {
        FinishedReply(
            chat: Self.chat, message: message, text: text, finish: finish, readsUntrusted: untrusted, mode: mode,
            question: "the question")
    }

    /// Runs a reply of one block and returns its card.
    func card(_ tag: ActionTag, _ payload: String, message: String = "m1", untrusted: Bool = false) async throws
        -> ActionCard
    {
        let outcome = await runner.run(
            reply("[\(tag.rawValue):\(payload)]", message: message, untrusted: untrusted))
        return try #require(outcome.cards.first)
    }

    func handle(_ event: ActionCard.Event, _ card: ActionCard) async throws -> ActionCard {
        try #require(await runner.handle(event, of: card.id).card)
    }

    func events() async throws -> [StoredEvent] {
        try await calendar.events(in: DateInterval(start: context.now - 90 * 86_400, duration: 180 * 86_400))
    }
}

extension ActionCard {
    /// Whether it waits for consent to write.
    var isWaiting: Bool { stage == .proposed && choices.contains { $0.event == .confirm } }
}
