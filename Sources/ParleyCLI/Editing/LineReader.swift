// SPDX-License-Identifier: Apache-2.0

import Dispatch
import ParleySystem
import Synchronization

/// Ends the waiting for a key.
package final class KeyWatch: Sendable {
    private let isStopped = Atomic(false)

    /// Creates a watch that goes on.
    package init() {}

    /// Ends it within a moment.
    package func stop() { isStopped.store(true, ordering: .relaxed) }

    fileprivate var goesOn: Bool { !isStopped.load(ordering: .relaxed) }
}

/// Reads messages from a terminal with a ``LineEditor``.
///
/// Keys that were typed before the prompt appeared are part of the message.
package final class LineReader: @unchecked Sendable {
    /// How the reading of a message ended.
    package enum Input: Sendable {
        case message(String)
        case interrupt
        case endOfInput
    }

    /// How listening to a spoken message ended.
    package enum Heard: Sendable {
        /// By itself.
        case over(SpeechBoard.Ending)
        /// The user began to type.
        case typing
        /// Escape or Ctrl-C was pressed.
        case discarded
        case endOfInput
    }

    // Everything below is used on `queue` only. Waiting for keys blocks a thread, which tasks must not do.
    private let queue = DispatchQueue(label: "parley.line-reader")
    private let mode: TerminalMode
    private let style: TextStyle
    private var decoder = KeyDecoder()
    private var editor = LineEditor()
    private var screen = EditorScreen()
    private var pending: [UInt8] = []
    /// How often this process had gone on when something was last drawn.
    private var continuations = 0

    /// Creates a reader over a terminal.
    package init(mode: TerminalMode, style: TextStyle) {
        self.mode = mode
        self.style = style
    }

    /// Shows the prompt and reads a message.
    ///
    /// - Parameters:
    ///   - prompt: the text before the message.
    ///   - isInterruptArmed: whether already the first Ctrl-C ends the reading, where that loses little.
    ///   - text: what the message is at first.
    /// - Returns: the message, or why there is none.
    package func read(prompt: String, isInterruptArmed: Bool = false, editing text: String = "") async -> Input {
        await withCheckedContinuation { continuation in
            queue.async {
                if Terminal.isDumb() { return continuation.resume(returning: self.readPlainly(prompt, text)) }
                if !text.isEmpty { _ = self.editor.handle(.paste(text)) }
                self.editor.isInterruptArmed = isInterruptArmed
                self.begin()
                let input = self.read(prompt: prompt)
                self.end()
                continuation.resume(returning: input)
            }
        }
    }

    /// Waits for one of some keys, without showing it.
    ///
    /// - Parameter keys: the keys, in lower case; a letter in upper case counts too.
    /// - Returns: the key; nil for Escape, Enter, Ctrl-C, Ctrl-D and the end of the input.
    package func readKey(of keys: Set<Character>) async -> Character? {
        await withCheckedContinuation { continuation in
            queue.async {
                self.begin()
                let key = self.key(of: keys)
                self.end()
                continuation.resume(returning: key)
            }
        }
    }

    /// Shows a message while it is spoken, until it is over, is discarded, or the user types instead.
    ///
    /// - Parameters:
    ///   - prompt: the text before the message.
    ///   - board: what was understood so far.
    ///   - sends: whether the message stays as it is, and is not edited further.
    /// - Returns: how it ended.
    package func listen(prompt: String, to board: SpeechBoard, sends: Bool) async -> Heard {
        await withCheckedContinuation { continuation in
            queue.async {
                self.begin()
                let heard = self.follow(board, prompt)
                let size = Terminal.size
                if case .over(.text(let text)) = heard, sends {
                    if Terminal.isDumb() {
                        Terminal.write(prompt + PlainText.clean(text) + "\r\n", to: .output)
                    } else {
                        self.draw(prompt, size, text: text)
                        Terminal.write(self.screen.finish(), to: .output)
                    }
                } else {
                    Terminal.write(self.screen.clear(for: size), to: .output)
                }
                self.end()
                continuation.resume(returning: heard)
            }
        }
    }

    /// Waits for any key, without showing it. What is typed is part of the next message, other keys are forgotten.
    ///
    /// - Parameter watch: ends it early.
    /// - Returns: whether a key was pressed.
    package func waitForKey(_ watch: KeyWatch) async -> Bool {
        await withCheckedContinuation { continuation in
            queue.async {
                continuation.resume(returning: self.waitForKey(while: watch))
            }
        }
    }

    private func waitForKey(while watch: KeyWatch) -> Bool {
        while watch.goesOn {
            guard let bytes = Terminal.read(timeout: 50) else { return false }
            if bytes.isEmpty { continue }
            keep(bytes)
            return true
        }
        return false
    }

    /// Keeps bytes for the next message if they are text.
    private func keep(_ bytes: [UInt8]) {
        if bytes != [0x20], !bytes.contains(where: { $0 < 0x20 || $0 == 0x7f }) { pending += bytes }
    }

    private func follow(_ board: SpeechBoard, _ prompt: String) -> Heard {
        // Keys from before the prompt are a message if they are text, and nothing else.
        if let early = Terminal.read(timeout: 0) { keep(early) }
        if !pending.isEmpty { return .typing }
        let start = ContinuousClock.now
        var drawn: EditorLayout?
        while true {
            let state = board.state
            if let ending = state.ending { return .over(ending) }
            let size = Terminal.size
            let seconds = Int(start.duration(to: .now) / .seconds(1))
            let layout = EditorLayout(
                speech: state.text, isTranscribing: state.isTranscribing, seconds: seconds, prompt: prompt,
                columns: size.columns)
            if takeTerminalAgain() { drawn = nil }
            if layout != drawn, !Terminal.isDumb() {
                drawn = layout
                let drawing = screen.draw(layout, size: size) { row in
                    row.hasPrefix(prompt) ? style.accent(prompt) + style.dim(String(row.dropFirst(prompt.count))) : row
                } others: {
                    style.dim($0)
                }
                Terminal.write(drawing, to: .output)
            }
            guard let bytes = typed(within: 50) else { return .endOfInput }
            if bytes == [0x1b] { return .discarded }
            for (index, byte) in bytes.enumerated() {
                switch decoder.consume(byte) {
                case .enter?: board.finish()
                case .interrupt?: return .discarded
                case .endOfInput?: return .endOfInput
                case .text(let scalar)?:
                    _ = editor.handle(.text(scalar))
                    pending = Array(bytes[(index + 1)...])
                    return .typing
                case .paste(let text)?:
                    _ = editor.handle(.paste(text))
                    return .typing
                default: continue
                }
            }
        }
    }

    private func key(of keys: Set<Character>) -> Character? {
        // What was typed before the question appeared is no answer to it.
        pending = []
        while let bytes = typed(within: 200) {
            takeTerminalAgain()
            if bytes == [0x1b] { return nil }
            for byte in bytes {
                switch decoder.consume(byte) {
                case .text(let scalar)?:
                    guard let key = String(scalar).lowercased().first, keys.contains(key) else { continue }
                    return key
                case .interrupt?, .endOfInput?, .enter?: return nil
                default: continue
                }
            }
        }
        return nil
    }

    /// Reads a line on a terminal where nothing can be drawn anew, as the terminal itself edits it. There, Ctrl-C is a
    /// signal.
    private func readPlainly(_ prompt: String, _ text: String) -> Input {
        mode.set(.original)
        defer { end() }
        // A text cannot be put into the terminal's line; Enter alone takes it as it is.
        Terminal.write((text.isEmpty ? "" : PlainText.clean(text) + "\n") + prompt, to: .output)
        guard let line = readLine() else {
            // Nobody has ended the line of the prompt.
            Terminal.write("\n", to: .output)
            return .endOfInput
        }
        return .message(line.isEmpty ? text : line)
    }

    private func begin() {
        TerminalMode.waitForTerminal()
        continuations = Continuations.shared.count
        mode.set(.editing)
    }

    private func end() {
        mode.set(.waiting)
    }

    private func read(prompt: String) -> Input {
        var size = Terminal.size
        draw(prompt, size)
        while true {
            // The timeout is short, so that changes of the terminal's size are noticed.
            guard let bytes = pending.isEmpty ? typed(within: 200) : pending else { return .endOfInput }
            pending = []
            if bytes.isEmpty { decoder.pause() }
            var isChanged = takeTerminalAgain() || size != Terminal.size
            size = Terminal.size
            for (index, byte) in bytes.enumerated() {
                guard let key = decoder.consume(byte) else { continue }
                let action = editor.handle(key)
                if action == .none { continue }
                isChanged = true
                if action == .redraw { continue }
                pending = Array(bytes[(index + 1)...])
                if let input = perform(action, prompt, size) { return input }
                break
            }
            if isChanged { draw(prompt, size) }
        }
    }

    /// Performs a key's action; returns what ends the reading, if it does.
    private func perform(_ action: LineEditor.Action, _ prompt: String, _ size: TerminalSize) -> Input? {
        switch action {
        case .submit(let message):
            draw(prompt, size, text: message)
            Terminal.write(screen.finish(), to: .output)
            return .message(message)
        case .cancelled:
            Terminal.write(
                screen.finish() + style.dim("Press Ctrl-C again to quit.") + "\r\n", to: .output)
        case .clearScreen:
            screen.forget()
            Terminal.write("\u{1b}[H\u{1b}[2J", to: .output)
        case .suspend:
            Terminal.write(screen.finish(), to: .output)
            mode.suspend()
            begin()
        case .interrupt, .endOfInput:
            Terminal.write(screen.finish(), to: .output)
            return action == .interrupt ? .interrupt : .endOfInput
        case .none, .redraw:
            break
        }
        return nil
    }

    /// Waits for what is typed; nil at the end of the input. That nothing can be read in the background is not its end.
    private func typed(within milliseconds: Int32) -> [UInt8]? {
        Terminal.read(timeout: milliseconds) ?? (Terminal.isInBackground ? [] : nil)
    }

    /// Takes the terminal again where a shell has had it since something was drawn, which then stands above what the
    /// shell has written.
    ///
    /// - Returns: whether one has had it.
    @discardableResult
    private func takeTerminalAgain() -> Bool {
        guard Terminal.isInBackground || Continuations.shared.count != continuations else { return false }
        begin()
        screen.forget()
        return true
    }

    private func draw(_ prompt: String, _ size: TerminalSize, text: String? = nil) {
        let layout = EditorLayout(
            prompt: prompt, before: text ?? editor.before, after: text == nil ? editor.after : "",
            columns: size.columns)
        let drawing = screen.draw(layout, size: size) { row in
            row.hasPrefix(prompt) ? style.accent(prompt) + row.dropFirst(prompt.count) : row
        }
        Terminal.write(drawing, to: .output)
    }
}
