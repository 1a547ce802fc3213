// SPDX-License-Identifier: Apache-2.0

import ParleyCommandLine
import ParleyConversation
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A chat on a terminal: reads messages, shows replies, runs slash commands.
struct ChatLoop {
    private let chat: Chat
    private let mode: TerminalMode
    private let console = Console()
    private let reader: LineReader
    /// The ears and the voice, if they are wanted.
    private let desk: VoiceDesk?

    init(chat: Chat, mode: TerminalMode, desk: VoiceDesk? = nil) {
        self.chat = chat
        self.mode = mode
        self.desk = desk
        reader = LineReader(mode: mode, style: console.outputStyle)
    }

    /// Runs the chat until the user leaves.
    ///
    /// - Throws: `CancellationError` where the user left with Ctrl-C.
    func run() async throws {
        // Restores the shell's terminal settings if a signal ends the process.
        let orderly = OrderlyExit(restore: { [mode] in mode.giveBack() })
        defer {
            mode.set(.original)
            withExtendedLifetime(orderly) {}
        }
        try await Interrupts.shared.handling({ [mode] in
            mode.giveBack()
            // The terminal itself shows the key where nothing can be drawn anew, and does not end its line.
            if Terminal.isDumb() { Terminal.write("\n", to: .output) }
            SignalWatch.exit(for: SIGINT)
        }) {
            try await talk()
        }
    }

    private func talk() async throws {
        var last: MessageCompletion?
        let prompt = SpokenPrompt(reader: reader, desk: desk, console: console)
        while true {
            let input = await prompt.read {
                desk?.record().map { board, work in
                    (
                        board,
                        {
                            work.cancel()
                            await work.value
                        }
                    )
                }
            }
            switch input {
            case .endOfInput: return
            case .interrupt: throw CancellationError()
            case .message(let line):
                let line = line.trimmingBlanks
                if line.isEmpty { continue }
                if let command = SlashCommand(line) {
                    if command == .quit { return }
                    if command == .clear { last = nil }
                    do {
                        try perform(command, last: last)
                    } catch {
                        console.error(ErrorText.of(error) + "\n")
                    }
                } else if let reply = await answer(line) {
                    last = reply
                }
            }
        }
    }

    /// Shows a reply as it is generated; nil if it failed, after showing the error.
    private func answer(_ message: String) async -> MessageCompletion? {
        let mode = mode
        let chat = chat
        let writer = ReplyWriter(console: console)
        let stop = ReplyStop()
        let voice = ReplyVoice(desk, reader: reader, onSpeech: { stop.stop() })
        do {
            let reply = try await Interrupts.shared.cancelling(restore: { mode.giveBack() }) {
                let work = Task {
                    try await chat.reply(to: message) { response in
                        writer.write(response)
                        if case .chunk(let text) = response { voice?.append(text) }
                    }
                }
                stop.set { work.cancel() }
                return try await withTaskCancellationHandler {
                    try await work.value
                } onCancel: {
                    work.cancel()
                }
            }
            writer.finish()
            let dropped = reply.info.prompt.droppedTurns
            if dropped > 0 {
                let turns = dropped == 1 ? "turn" : "\(dropped) turns"
                console.tell("Left out because the context is full: the oldest \(turns).")
            }
            if let remark = ReplyReport.remark(reply.finishReason, inChat: true) { console.tell(remark) }
            console.tell((reply.stats.map(ReplyReport.line) ?? "") + "\n")
            await voice?.conclude(isStopped: reply.finishReason == .cancelled, console)
            return reply
        } catch {
            if error is CancellationError { writer.finish() } else { console.error(ErrorText.of(error) + "\n") }
            await voice?.conclude(isStopped: true, console)
            return nil
        }
    }

    private func perform(_ command: SlashCommand, last: MessageCompletion?) throws {
        switch command {
        case .help: console.listCommands(SlashCommand.descriptions)
        case .clear:
            try chat.clear()
            console.tell("Started a new conversation.\n")
        case .system(let text):
            try chat.setSystem(text)
            console.tell(text == nil ? "No system prompt.\n" : "The system prompt is set.\n")
        case .save(let path):
            try Transcript.save(chat.history, to: path)
            console.tell("Saved to \(path).\n")
        case .stats: console.tell(ReplyReport.details(of: last) + "\n")
        case .unknown(let hint): throw CommandError(hint)
        case .quit: break
        }
    }
}

extension String {
    /// The text without white space at its ends.
    fileprivate var trimmingBlanks: String {
        let start = drop(while: \.isWhitespace)
        return String(start.reversed().drop(while: \.isWhitespace).reversed())
    }
}
