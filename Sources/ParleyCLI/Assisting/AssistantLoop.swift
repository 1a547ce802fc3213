// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import ParleyActions
import ParleyAssistant
import ParleyConversation
import ParleyJSON
import ParleySystem

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The chat of `parley assistant`: reads messages, shows replies and cards, passes on what the user decides.
///
/// All state is that of a ``ChatViewModel``; this type only draws it.
@MainActor
final class AssistantLoop {
    let chat: ChatViewModel
    let history: ChatStore
    let console: Console
    private let mode: TerminalMode?
    private let printsJSON: Bool
    private let reader: LineReader?
    private let voice: VoiceDesk?
    /// Reads the reply aloud that is shown.
    private var reading: ReplyVoice?
    /// Makes attachments.
    let desk: AttachmentDesk
    /// The servers of tools; nil if none is named.
    let servers: ToolServers?
    private let refresh: @Sendable () async -> Void
    private let remarks: @Sendable () async -> [String]
    /// The chats that `/chats` and `/search` have listed, by their numbers.
    var listed: [UUID] = []
    /// The cards that have been shown.
    private var shownCards: Set<ActionCard.ID> = []
    /// Whether something of what was piped in has failed.
    private var hasFailed = false

    /// What a chat in the terminal is made of.
    struct Parts {
        var dependencies: ChatDependencies
        var history: ChatStore
        var desk: AttachmentDesk
        /// What is said of the model after its name.
        var facts = ""
        /// What is to be known of the model before it is relied on.
        var warning: String?
        /// What is attached to the first message.
        var attached: [AttachmentDesk.Attached] = []
        var servers: ToolServers?
        /// Called before each message, to look for what others have changed; it does not wait for that.
        var refresh: @Sendable () async -> Void = {}
        /// The ears and the voice, if they are wanted.
        var voice: VoiceDesk?
        /// What is to be told after each reply and each command, such as conflicts with a server.
        var remarks: @Sendable () async -> [String] = { [] }
    }

    private init(_ parts: Parts, console: Console, printsJSON: Bool, mode: TerminalMode?) {
        chat = ChatViewModel(parts.dependencies)
        (history, desk, servers, remarks) = (parts.history, parts.desk, parts.servers, parts.remarks)
        (refresh, voice) = (parts.refresh, parts.voice)
        self.printsJSON = printsJSON
        (self.console, self.mode) = (console, mode)
        reader = mode.map { LineReader(mode: $0, style: console.outputStyle) }
    }

    /// Runs a chat until the user leaves or the input ends. What the parts' `remarks` return is told after each reply.
    ///
    /// - Throws: `CancellationError` where the user left with Ctrl-C; `ExitCode` where something has failed of what was
    ///   piped in, which has been told.
    static func run(_ parts: Parts, console: Console, printsJSON: Bool, mode: TerminalMode?) async throws {
        let loop = AssistantLoop(parts, console: console, printsJSON: printsJSON, mode: mode)
        await loop.chat.load()
        for notice in loop.chat.notices { console.note(notice.text) }
        loop.chat.attachments = parts.attached.map(\.attachment)
        guard let mode else {
            if let warning = parts.warning { console.note(warning) }
            return try await loop.readLines()
        }
        console.title(parts.desk.modelName, parts.facts)
        if let remark = parts.warning ?? loop.chat.suggestedPrompts.first.map({ "For example: \($0)" }) {
            console.tell(remark)
        }
        for attached in parts.attached { console.tell(attached.remark) }
        console.line()
        defer { mode.set(.original) }
        try await Interrupts.shared.handling({
            mode.set(.original)
            SignalWatch.exit(for: SIGINT)
        }) {
            try await loop.talk()
        }
    }

    private func talk() async throws {
        guard let reader else { return }
        let prompt = SpokenPrompt(reader: reader, desk: voice, console: console)
        while true {
            switch await prompt.read({ record() }) {
            case .endOfInput: return
            case .interrupt: throw CancellationError()
            case .message(let line):
                guard let isGoingOn = await take(line) else { continue }
                guard isGoingOn else { return }
            }
        }
    }

    /// Begins to record a message, as the chat does it.
    private func record() -> (board: SpeechBoard, discard: () async -> Void)? {
        guard chat.dependencies.speech != nil else { return nil }
        let chat = chat
        let board = SpeechBoard { Task { @MainActor in chat.toggleSpeech() } }
        chat.inputText = ""
        chat.dismissError()
        chat.toggleSpeech()
        let following = Task { @MainActor in
            for await _ in chat.changes() {
                guard chat.isRecording else { break }
                board.show(chat.inputText, isTranscribing: chat.isTranscribing)
            }
            await chat.speechSettled()
            let text = chat.inputText
            if let error = chat.errorMessage, text.isEmpty {
                board.end(.failed(CommandError(error)))
            } else {
                board.end(text.isEmpty ? .failed(CancellationError()) : .text(text))
            }
        }
        return (
            board,
            {
                chat.cancelSpeech()
                await following.value
            }
        )
    }

    /// Takes each line of the input as a message or a command.
    ///
    /// - Throws: `ExitCode` if one has failed, or the chat could not be saved.
    private func readLines() async throws {
        var lines = InputLines()
        while let bytes = lines.next() {
            guard let line = String(validating: bytes, as: UTF8.self) else {
                fail("A line of the input is not text in UTF-8.")
                continue
            }
            if await take(line) == false { break }
        }
        if hasFailed || chat.notices.contains(where: { $0.kind == .error }) { throw ExitCode.failure }
    }

    /// Tells a failure; on a terminal, the next prompt stands apart from it.
    private func fail(_ message: String) {
        hasFailed = true
        console.error(message + (reader == nil ? "" : "\n"))
    }

    /// Takes a line: a command or a message.
    ///
    /// - Returns: false if the user wants to leave; nil if there was nothing in the line.
    private func take(_ line: String) async -> Bool? {
        let line = line.trimmingCharacters(in: .whitespacesAndNewlines)
        if line.isEmpty { return nil }
        if let command = AssistantSlash(line) {
            if command == .new, printsJSON {
                await chat.startNewChat()
                return true
            }
            if command == .quit { return false }
            do {
                try await perform(command)
            } catch {
                fail(ErrorText.of(error))
            }
            await tellRemarks()
            return true
        }
        await refresh()
        let count = chat.messages.count
        if await chat.catchUp() {
            let more = max(chat.messages.count - count, 0)
            console.note("Another program has gone on with this chat: \(more) more message\(more == 1 ? "" : "s").")
        }
        chat.inputText = line
        guard chat.send() else {
            fail(chat.errorMessage ?? "No model is loaded.")
            return true
        }
        let start = chat.messages.count - 1
        if printsJSON { await printReplies(from: start) } else { await follow(from: start) }
        // Another program may have taken messages away.
        if chat.messages.dropFirst(start).contains(where: { $0.failure != nil }) { hasFailed = true }
        await tellRemarks()
        return true
    }

    private func tellRemarks() async {
        for remark in await remarks() { console.note(PlainText.clean(remark)) }
    }

    // MARK: Replies

    /// Shows the replies of a turn as they grow, from the message with an index on, and their cards.
    private func follow(from start: Int) async {
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
            return tell("Stopped.\n")
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
        if let ending = reply.ending { tell(ending.remark) }
        for (number, source) in reply.sources.enumerated() {
            tell("[\(number + 1)] \(source.title) \(source.url.absoluteString)")
        }
    }

    /// Waits for the replies of the turn and prints each as a JSON object.
    private func printReplies(from start: Int) async {
        await chat.settled()
        for card in chat.messages[start...].flatMap(\.cards)
        where card.openChoices.contains(where: { $0.event == .cancel }) {
            await chat.decide(.cancel, on: card.id)
        }
        for reply in chat.viewState.messages.dropFirst(start) {
            do { console.line(try Self.json(reply).text()) } catch { fail(ErrorText.of(error)) }
        }
        if let error = chat.errorMessage { console.error(error) }
    }

    /// A message in the form that pages have, but as commands print JSON: sorted, with times as ISO 8601 has them, and
    /// reasons and the states of cards in snake case.
    private static func json(_ message: ChatViewState.Message) throws -> JSONValue {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        var json = try JSONValue(parsing: try encoder.encode(message))
        json["date"] = .string(Date(timeIntervalSince1970: message.date).ISO8601Format())
        if let ended = message.receipt?.ended { json["receipt"]?["ended"] = .string(JSONName.of(ended)) }
        let cards = (json["cards"]?.array ?? []).map { card in
            var card = card
            if let state = card["state"]?.string { card["state"] = .string(JSONName.of(state)) }
            return card
        }
        json["cards"] = .array(cards)
        return json
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
        guard card.stage != .malformed else { return tell("  Not done: what the model wrote cannot be read.") }
        guard card.openChoices.contains(where: { $0.event == .cancel }) else { return }
        await chat.decide(.cancel, on: card.id)
        tell("  Not done: nobody can be asked here. With --yes it would be done.")
    }

    func card(_ id: ActionCard.ID) -> ActionCard? {
        chat.messages.lazy.flatMap(\.cards).first { $0.id == id }
    }

    func draw(_ card: ActionCard) {
        for line in card.lines(in: chat.dependencies.context(), width: min(Terminal.size.columns, 80) - 2) {
            console.line(line.styled(console.outputStyle))
        }
    }

    /// Prints a remark that is not part of the chat.
    func tell(_ text: String) { console.tell(text) }
}

/// How far the drawing of a turn has come.
@MainActor
private final class DrawingPlace {
    /// The message that is being drawn.
    var index: Int
    var drawing: ReplyDrawing

    init(index: Int, drawing: ReplyDrawing) { (self.index, self.drawing) = (index, drawing) }
}
