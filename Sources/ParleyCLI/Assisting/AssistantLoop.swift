// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import ParleyActions
import ParleyAssistant
import ParleyCommandLine
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

/// The chat of `parley assistant`: reads messages and commands, and has replies shown by a ``TurnDisplay``.
///
/// All state is that of a ``ChatViewModel``.
@MainActor
final class AssistantLoop {
    let chat: ChatViewModel
    let history: ChatStore
    /// Where everything is shown that is for reading.
    let console: Console
    private let mode: TerminalMode?
    private let printsJSON: Bool
    private let reader: LineReader?
    private let voice: VoiceDesk?
    /// Shows replies and cards.
    let display: TurnDisplay
    /// Makes attachments.
    let desk: AttachmentDesk
    /// The servers of tools; nil if none is named.
    let servers: ToolServers?
    private let refresh: @Sendable () async -> Void
    private let remarks: @Sendable () async -> [String]
    /// The chats that `/chats` and `/search` have listed, by their numbers.
    var listed: [UUID] = []
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
        let console = printsJSON ? Console(output: .error) : console
        (self.console, self.mode) = (console, mode)
        reader = mode.map { LineReader(mode: $0, style: console.outputStyle) }
        display = TurnDisplay(chat, console: console, reader: reader, voice: voice)
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
            InputFile.explainTyping(of: "messages, each on a line")
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
            mode.giveBack()
            // The terminal itself shows the key where nothing can be drawn anew, and does not end its line.
            if Terminal.isDumb() { Terminal.write("\n", to: .output) }
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
        let board = SpeechBoard { Task { @MainActor in chat.finishSpeech() } }
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
    /// - Throws: `ExitCode` if one has failed, or the chat could not be saved; ``CommandError`` for a line without end.
    private func readLines() async throws {
        var lines = InputLines()
        while let bytes = try lines.next() {
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
        if printsJSON { await printReplies(from: start) } else { await display.follow(from: start) }
        // Another program may have taken messages away.
        if chat.messages.dropFirst(start).contains(where: { $0.failure != nil }) { hasFailed = true }
        await tellRemarks()
        return true
    }

    private func tellRemarks() async {
        for remark in await remarks() { console.note(PlainText.clean(remark)) }
    }

    // MARK: Replies

    /// Waits for the replies of the turn and prints each as a JSON object, which alone go to standard output.
    private func printReplies(from start: Int) async {
        await chat.settled()
        for card in chat.messages[start...].flatMap(\.cards)
        where card.openChoices.contains(where: { $0.event == .cancel }) {
            await chat.decide(.cancel, on: card.id)
        }
        for reply in chat.viewState.messages.dropFirst(start) {
            do { Console().line(try Self.json(reply).text()) } catch { fail(ErrorText.of(error)) }
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

    /// Prints a remark that is not part of the chat.
    func tell(_ text: String) { console.tell(text) }
}
