// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAssistant
import ParleySystem

/// Shows the replies of turns as they grow, asks about their cards, and passes on what the user decides.
///
/// All state is that of a ``ChatViewModel``; this type only draws it.
@MainActor
final class TurnDisplay {
    private let chat: ChatViewModel
    private let console: Console
    /// What the user answers with; nil where nobody can be asked.
    private let reader: LineReader?
    private let voice: VoiceDesk?
    /// Reads the reply aloud that is shown.
    private var reading: ReplyVoice?
    /// The cards that have been shown.
    private var shownCards: Set<ActionCard.ID> = []

    init(_ chat: ChatViewModel, console: Console, reader: LineReader?, voice: VoiceDesk?) {
        (self.chat, self.console, self.reader, self.voice) = (chat, console, reader, voice)
    }

    // MARK: Replies

    /// Shows the replies of a turn as they grow, from the message with an index on, and their cards.
    func follow(from start: Int) async {
        let chat = chat
        beginReading()
        let place = DrawingPlace(index: start, drawing: drawing())
        await Interrupts.shared.handling({ Task { @MainActor in chat.stop() } }) {
            for await _ in chat.changes() {
                draw(from: place)
                if !chat.isGenerating { break }
            }
            await chat.settled()
        }
        await conclude(place, from: start)
        if let error = chat.errorMessage { console.error(error) }
        console.line()
        await reading?.conclude(isStopped: chat.messages.last?.ending == .stopped, console)
        reading = nil
    }

    /// Begins to read replies aloud, if they are to be.
    private func beginReading() {
        guard let reader else { return }
        let chat = chat
        reading = ReplyVoice(voice, reader: reader) { Task { @MainActor in chat.stop() } }
    }

    /// The drawing of a reply, which is read aloud too.
    private func drawing(after drawn: ChatItem? = nil) -> ReplyDrawing {
        ReplyDrawing(console: console, after: drawn) { [reading] in reading?.append($0) }
    }

    /// Draws what is new in the replies from a place on. After the tools of a reply have answered, another one follows.
    private func draw(from place: DrawingPlace) {
        while place.index < chat.messages.count {
            place.drawing.draw(chat.messages[place.index])
            guard place.index + 1 < chat.messages.count else { break }
            finish(chat.messages[place.index], place.drawing)
            for card in chat.messages[place.index].cards where card.openChoices.isEmpty { show(card) }
            (place.index, place.drawing) = (place.index + 1, drawing())
        }
    }

    /// Draws the rest of the replies, and asks about their cards.
    private func conclude(_ place: DrawingPlace, from start: Int) async {
        draw(from: place)
        guard place.index < chat.messages.count else {
            place.drawing.finish()
            return console.tell("Stopped.\n")
        }
        finish(chat.messages[place.index], place.drawing)
        for card in chat.messages[start...].flatMap(\.cards) where !shownCards.contains(card.id) {
            await settle(card)
        }
    }

    /// Shows the end of a reply: what remains of it, why it ended, and from what it was made.
    private func finish(_ reply: ChatItem, _ drawing: ReplyDrawing) {
        drawing.draw(reply)
        drawing.finish()
        showEnding(of: reply)
    }

    /// Shows why a reply ended, and the results of the web that it answers from.
    func showEnding(of reply: ChatItem) {
        if let failure = reply.failure { console.error(PlainText.clean(failure)) }
        if let ending = reply.ending { console.tell(ending.remark) }
        for (number, source) in reply.sources.enumerated() {
            console.tell("[\(number + 1)] \(source.title) \(source.url.absoluteString)")
        }
    }

    // MARK: Cards

    /// Shows a card, and asks until there is nothing left to decide.
    private func settle(_ shown: ActionCard) async {
        var card = shown
        while true {
            show(card)
            let choices = card.openChoices
            guard !choices.isEmpty || card.stage == .malformed else { return }
            guard let reader else { return await decline(card) }
            // The key answers the card, and the reply before it has been read by whoever presses it.
            await reading?.releaseKeys()
            let keys = Set(choices.compactMap(\.key.first)).union(card.stage == .malformed ? ["e"] : [])
            let key = await reader.readKey(of: keys)
            await reading?.conclude(isStopped: true, console)
            reading = nil
            guard let event = await event(for: key, card, choices) else { return }
            let isShown = await decide(event, card)
            guard let changed = self.card(card.id), changed != card else { return }
            if isShown, changed.openChoices.isEmpty, changed.stage != .malformed { return }
            card = changed
        }
    }

    private func show(_ card: ActionCard) {
        shownCards.insert(card.id)
        draw(card)
    }

    /// Carries out what was chosen. A search that was consented to is answered, and after a tool the model goes on, which
    /// is shown below the card.
    ///
    /// - Returns: whether the card was shown as it is now.
    private func decide(_ event: ActionCard.Event, _ card: ActionCard) async -> Bool {
        let (chat, id) = (chat, card.id)
        guard event == .confirm, card.tag == .tool || card.tag == .webSearch,
            let index = chat.messages.firstIndex(where: { $0.cards.contains { $0.id == id } })
        else {
            await chat.decide(event, on: id)
            return false
        }
        beginReading()
        // The answer to a search takes the place of the reply; after a tool there is another reply.
        let start = card.tag == .tool ? index + 1 : index
        let place = DrawingPlace(
            index: start, drawing: drawing(after: card.tag == .tool ? nil : chat.messages[index])
        )
        var isShown = false
        let watching = Task { @MainActor in
            for await _ in chat.changes() {
                if !isShown, let now = self.card(id), now != card {
                    isShown = true
                    show(now)
                }
                if chat.isGenerating { draw(from: place) }
            }
        }
        let count = chat.messages.count
        let text = chat.messages[index].text
        await Interrupts.shared.handling({ Task { @MainActor in chat.stop() } }) { await chat.decide(event, on: id) }
        watching.cancel()
        await watching.value
        if !isShown, let now = self.card(id), now != card {
            isShown = true
            show(now)
        }
        if chat.messages.count > count || chat.messages.indices.contains(index) && chat.messages[index].text != text {
            await conclude(place, from: start)
        }
        return isShown
    }

    private func event(
        for key: Character?, _ card: ActionCard, _ choices: [ActionCard.Choice]
    ) async -> ActionCard.Event? {
        if card.stage == .malformed {
            guard key == "e", let reader else { return nil }
            guard
                case .message(let text) = await reader.read(
                    prompt: "edit> ", isInterruptArmed: true, editing: card.payload)
            else { return nil }
            return .correct(text)
        }
        if let key, let choice = choices.first(where: { $0.key == String(key) }) { return choice.event }
        // Escape, Enter and Ctrl-C decline what waits for consent; what is done stays.
        return choices.contains { $0.event == .cancel } ? .cancel : nil
    }

    private func decline(_ card: ActionCard) async {
        guard card.stage != .malformed else { return console.tell("  Not done: what the model wrote cannot be read.") }
        guard card.openChoices.contains(where: { $0.event == .cancel }) else { return }
        await chat.decide(.cancel, on: card.id)
        console.tell("  Not done: nobody can be asked here. With --yes it would be done.")
    }

    private func card(_ id: ActionCard.ID) -> ActionCard? {
        chat.messages.lazy.flatMap(\.cards).first { $0.id == id }
    }

    /// Draws a card as it is.
    func draw(_ card: ActionCard) {
        let width = min(Terminal.size.columns, 80) - 2
        for line in card.lines(in: chat.dependencies.context(), width: width, isAsked: reader != nil) {
            console.line(line.styled(console.outputStyle))
        }
    }
}

/// How far the drawing of a turn has come.
@MainActor
private final class DrawingPlace {
    /// The message that is being drawn.
    var index: Int
    var drawing: ReplyDrawing

    init(index: Int, drawing: ReplyDrawing) { (self.index, self.drawing) = (index, drawing) }
}
