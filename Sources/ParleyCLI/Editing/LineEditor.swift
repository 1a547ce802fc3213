// SPDX-License-Identifier: Apache-2.0

/// A message being written: text, cursor and history, as a value that keys change.
///
/// It knows no terminal: ``EditorScreen`` draws it, ``LineReader`` feeds it.
package struct LineEditor: Sendable {
    /// What to do after a key.
    package enum Action: Sendable, Hashable {
        /// Nothing changed.
        case none
        /// The text or the cursor changed.
        case redraw
        /// The message is finished. The editor is empty again.
        case submit(String)
        /// A first Ctrl-C: the text was dropped, the next one quits.
        case cancelled
        /// Another Ctrl-C: quit.
        case interrupt
        /// Ctrl-D on an empty line: quit.
        case endOfInput
        /// The screen is to be cleared and redrawn.
        case clearScreen
        /// Ctrl-Z.
        case suspend
    }

    /// The text before the cursor.
    package internal(set) var before = ""
    /// The text after the cursor.
    package internal(set) var after = ""
    /// The submitted messages, oldest first.
    package private(set) var history: [String] = []
    /// Whether the next Ctrl-C on an empty line quits.
    package var isInterruptArmed = false

    /// The history entry being shown; the history's count while none is.
    var historyIndex = 0
    /// The unfinished message from before the history was entered.
    var draft = ""
    /// The text that was deleted last.
    var clipping = ""

    /// Creates an empty editor.
    package init() {}

    /// The whole text.
    package var text: String { before + after }

    /// Applies a key.
    package mutating func handle(_ key: Key) -> Action {
        if key == .interrupt { return interrupt() }
        isInterruptArmed = false
        switch key {
        case .text(let scalar): before.unicodeScalars.append(scalar)
        case .paste(let text): before += text
        case .tab: before += "    "
        case .newline: before += "\n"
        case .enter: return submit()
        case .endOfInput where text.isEmpty: return .endOfInput
        case .clearScreen: return .clearScreen
        case .suspend: return .suspend
        case .interrupt: return .none
        case .up, .down: return moveVertically(isUp: key == .up)
        case .backspace, .delete, .endOfInput, .deleteWordLeft, .deleteWordRight, .deleteToStart, .deleteToEnd, .yank:
            return delete(key)
        case .left, .right, .home, .end, .wordLeft, .wordRight: return move(key)
        }
        return .redraw
    }

    private mutating func interrupt() -> Action {
        if text.isEmpty, isInterruptArmed { return .interrupt }
        setText("")
        historyIndex = history.count
        isInterruptArmed = true
        return .cancelled
    }

    private mutating func submit() -> Action {
        let message = text
        if !message.allSatisfy(\.isWhitespace), history.last != message { history.append(message) }
        setText("")
        historyIndex = history.count
        return .submit(message)
    }

    mutating func setText(_ text: String) {
        before = text
        after = ""
    }
}
