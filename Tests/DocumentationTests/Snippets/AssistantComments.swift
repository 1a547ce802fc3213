// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAssistant
import ParleyCalendar
import ParleyJSON

// The examples in the comments of the assistant's parts and of calendars, word for word.

private func show(_ value: some Any) {}

private func decoding(_ context: DateContext) throws {
    let decoder = ActionDecoder(context: context)
    let action = try decoder.action(.reminder, ["title": "Call mum", "at": "in 20 minutes"])
    show(action)
}

private func scanning(_ pieces: [String]) {
    var scanner = ActionBlockScanner()
    for piece in pieces { show(scanner.read(piece)) }
    show(scanner.finish())
}

private func confirming(_ changes: [Change<String>], run: (ConfirmationCard<String>.Effect) async -> Void) async {
    guard var card = ConfirmationCard(changes) else { return }
    for effect in card.handle(.confirm) { await run(effect) }  // .write(…); its outcome goes in as .wrote(…)
}

private func resolving() {
    let context = DateContext(now: .now, timeZone: .current, locale: .current)
    let found = DateResolver().resolve("lunch with Anna tomorrow at 3", in: context)
    // found?.value is .instant(…, 15:00), found?.assumptions are [.halfOfDay], and 3:00 is the alternative
    show(found as Any)
}

private func freeSlots(_ clock: LocalClock, _ week: DateInterval, _ events: [BusyTime]) {
    let slots = FreeSlots(clock: clock).slots(of: 3600, within: week, busy: events)
    show(slots)
}

private func occurrences(_ file: URL) throws {
    let calendar = try CalendarObject(reading: Data(contentsOf: file))
    let week = DateInterval(start: .now, duration: 7 * 86_400)
    for occurrence in try calendar.occurrences(of: CalendarEvent.self, in: week, local: .current).occurrences {
        print(occurrence.interval.start, occurrence.item.summary ?? "")
    }
}

@MainActor
private func chatting(_ dependencies: ChatDependencies) async {
    let chat = ChatViewModel(dependencies)
    await chat.load()
    chat.inputText = "Remind me to call mum tomorrow at 3"
    chat.send()
}
