// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAssistant
import ParleyConversation

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
    private let remarks: @Sendable () async -> [String]
    /// The chats that `/chats` and `/search` have listed, by their numbers.
    var listed: [UUID] = []

    private init(
        _ dependencies: ChatDependencies, history: ChatStore, console: Console, printsJSON: Bool, mode: TerminalMode?,
        remarks: @escaping @Sendable () async -> [String]
    ) {
        self.remarks = remarks
        chat = ChatViewModel(dependencies)
        self.printsJSON = printsJSON
        (self.history, self.console, self.mode) = (history, console, mode)
        reader = mode.map { LineReader(mode: $0, style: console.outputStyle) }
    }

    /// Runs a chat until the user leaves or the input ends. What `remarks` returns is told after each reply.
    ///
    /// - Throws: `CancellationError` where the user left with Ctrl-C.
    static func run(
        _ dependencies: ChatDependencies, history: ChatStore, title: String, console: Console, printsJSON: Bool,
        remarks: @escaping @Sendable () async -> [String], mode: TerminalMode?
    ) async throws {
        let loop = AssistantLoop(
            dependencies, history: history, console: console, printsJSON: printsJSON, mode: mode, remarks: remarks)
        await loop.chat.load()
        guard let mode else { return try await loop.readLines() }
        let style = console.outputStyle
        console.line(style.bold(title) + style.dim(" · /help lists commands"))
        if let example = loop.chat.suggestedPrompts.first { loop.tell("For example: \(example)") }
        console.line()
        // Restores the shell's terminal settings if a signal ends the process.
        let watches = [SIGTERM, SIGHUP].map { number in
            SignalWatch(number) {
                mode.set(.original)
                SignalWatch.exit(for: number)
            }
        }
        defer {
            mode.set(.original)
            withExtendedLifetime(watches) {}
        }
        try await Interrupts.shared.handling({
            mode.set(.original)
            SignalWatch.exit(for: SIGINT)
        }) {
            try await loop.talk()
        }
    }

    private func talk() async throws {
        var wasStopped = false
        while let reader {
            switch await reader.read(prompt: "> ", isInterruptArmed: wasStopped) {
            case .endOfInput: return
            case .interrupt: throw CancellationError()
            case .message(let line):
                wasStopped = false
                guard let isGoingOn = await take(line) else { continue }
                guard isGoingOn else { return }
                wasStopped = chat.messages.last?.ending == .stopped
            }
        }
    }

    /// Takes each line of the input as a message.
    private func readLines() async throws {
        while let line = readLine() {
            if await take(line) == false { return }
        }
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
                console.error(ErrorText.of(error))
            }
            return true
        }
        chat.inputText = line
        guard chat.send() else {
            console.error(chat.errorMessage ?? "No model is loaded.")
            return true
        }
        if printsJSON { await printReply() } else { await follow() }
        for remark in await remarks() { console.note(PlainText.clean(remark)) }
        return true
    }

    // MARK: Replies

    /// Shows the reply as it grows, then its cards.
    private func follow() async {
        let drawing = ReplyDrawing(console: console)
        let chat = chat
        await Interrupts.shared.handling({ Task { @MainActor in chat.stop() } }) {
            for await _ in chat.changes() {
                if let reply = chat.messages.last, reply.author == .assistant { drawing.draw(reply) }
                if !chat.isGenerating { break }
            }
            await chat.settled()
        }
        guard let reply = chat.messages.last, reply.author == .assistant else {
            drawing.finish()
            return tell("Stopped.\n")
        }
        drawing.draw(reply)
        drawing.finish()
        if let failure = reply.failure { console.error(PlainText.clean(failure)) }
        if let ending = reply.ending { tell(ending.remark) }
        for (number, source) in reply.sources.enumerated() {
            tell("[\(number + 1)] \(source.title) \(source.url.absoluteString)")
        }
        for card in reply.cards { await settle(card) }
        if let error = chat.errorMessage { console.error(error) }
        console.line()
    }

    /// Waits for the reply and prints it as a JSON object.
    private func printReply() async {
        await chat.settled()
        for card in chat.messages.last?.cards ?? [] where card.openChoices.contains(where: { $0.event == .cancel }) {
            await chat.decide(.cancel, on: card.id)
        }
        guard let reply = chat.viewState.messages.last, let data = try? JSONEncoder().encode(reply) else { return }
        console.line(String(decoding: data, as: UTF8.self))
    }

    // MARK: Cards

    /// Shows a card, and asks until there is nothing left to decide.
    private func settle(_ shown: ActionCard) async {
        var card = shown
        while true {
            draw(card)
            let choices = card.openChoices
            guard !choices.isEmpty || card.stage == .malformed else { return }
            guard let reader else { return await decline(card) }
            let keys = Set(choices.compactMap(\.key.first)).union(card.stage == .malformed ? ["e"] : [])
            let key = await reader.readKey(of: keys)
            guard let event = await event(for: key, card, choices) else { return }
            await chat.decide(event, on: card.id)
            guard let changed = self.card(card.id) else { return }
            if changed == card { return }
            card = changed
        }
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
        let width = min(Terminal.size.columns, 80) - 2
        let lines = card.text(in: chat.dependencies.context(), width: width).split(
            separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            // Undoing is a command here, not a key.
            let text = PlainText.clean(String(line)).replacing("[u]\u{A0}Undo", with: "/undo takes it back")
            console.line(console.outputStyle.accent("│ ") + (index == 0 ? console.outputStyle.bold(text) : text))
        }
    }

    /// Prints a remark that is not part of the chat.
    func tell(_ text: String) {
        var wrapper = WordWrapper(columns: Terminal.Stream.output.isTerminal ? Terminal.size.columns : Int.max)
        let wrapped = wrapper.append(PlainText.clean(text)) + wrapper.finish()
        console.line(console.outputStyle.dim(wrapped))
    }
}

extension ActionCard {
    /// What is asked about now. Undoing is left to `/undo`, so that a card which is done asks nothing.
    fileprivate var openChoices: [Choice] { choices.filter { $0.event != .undo } }
}

extension ChatItem.Ending {
    /// What is said below a reply.
    fileprivate var remark: String {
        switch self {
        case .stopped: "Stopped. Nothing that the reply proposed was done."
        case .timedOut: "The time limit was reached. Nothing that the reply proposed was done."
        case .length: "The reply reached the limit of --max-tokens."
        case .contextFull: "The context is full. /new starts a new chat; --context sets a longer context."
        case .constraint: "The model could not continue as the schema requires."
        case .onlyReasoned: "The model gave no answer; this is its reasoning."
        case .searchInterrupted: "The search was interrupted."
        }
    }
}
