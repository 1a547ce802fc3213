// SPDX-License-Identifier: Apache-2.0

import Dispatch

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

    // Everything below is used on `queue` only. Waiting for keys blocks a thread, which tasks must not do.
    private let queue = DispatchQueue(label: "parley.line-reader")
    private let mode: TerminalMode
    private let style: TextStyle
    private var decoder = KeyDecoder()
    private var editor = LineEditor()
    private var screen = EditorScreen()
    private var pending: [UInt8] = []

    /// Creates a reader over a terminal.
    package init(mode: TerminalMode, style: TextStyle) {
        self.mode = mode
        self.style = style
    }

    /// Shows the prompt and reads a message.
    ///
    /// - Parameters:
    ///   - prompt: the text before the message.
    ///   - isInterruptArmed: whether already the first Ctrl-C quits.
    /// - Returns: the message, or why there is none.
    package func read(prompt: String, isInterruptArmed: Bool) async -> Input {
        await withCheckedContinuation { continuation in
            queue.async {
                self.editor.isInterruptArmed = isInterruptArmed
                self.begin()
                let input = self.read(prompt: prompt)
                self.end()
                continuation.resume(returning: input)
            }
        }
    }

    private func begin() {
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
            guard let bytes = pending.isEmpty ? Terminal.read(timeout: 200) : pending else { return .endOfInput }
            pending = []
            if bytes.isEmpty { decoder.pause() }
            var isChanged = size != Terminal.size
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
            end()
            mode.set(.original)
            Terminal.suspend()
            begin()
        case .interrupt, .endOfInput:
            Terminal.write(screen.finish(), to: .output)
            return action == .interrupt ? .interrupt : .endOfInput
        case .none, .redraw:
            break
        }
        return nil
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
