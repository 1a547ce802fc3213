// SPDX-License-Identifier: Apache-2.0

/// Edits a message: a value with the text, the cursor and the history, which handles one key after another.
///
/// It does not depend on a terminal: ``LineReader`` passes keys to it, and ``EditorScreen`` draws it.
package struct LineEditor: Sendable {
    /// What the caller has to do after a key.
    package enum Action: Sendable, Hashable {
        /// Nothing changed.
        case none
        /// The text or the cursor changed.
        case redraw
        /// The message is finished. The editor is empty again.
        case submit(String)
        /// The first Ctrl-C: the text was discarded; a second one quits.
        case cancelled
        /// The second Ctrl-C: quit.
        case interrupt
        /// Ctrl-D on an empty line: quit.
        case endOfInput
        /// Ctrl-L: clear the screen and redraw.
        case clearScreen
        /// Ctrl-Z: suspend the process.
        case suspend
    }

    /// The text before the cursor.
    package private(set) var before = ""
    /// The text after the cursor.
    package private(set) var after = ""
    /// Whether the next Ctrl-C on an empty line quits.
    package var isInterruptArmed = false

    private var history = MessageHistory()
    /// The text that was deleted last, which Ctrl-Y inserts again.
    private var clipping = ""

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
        history.leave()
        isInterruptArmed = true
        return .cancelled
    }

    private mutating func submit() -> Action {
        let message = text
        history.append(message)
        setText("")
        return .submit(message)
    }

    private mutating func setText(_ text: String) {
        before = text
        after = ""
    }

    /// Moves the cursor within its line, or by a word.
    private mutating func move(_ key: Key) -> Action {
        switch key {
        case .left: moveLeft(1)
        case .right: moveRight(1)
        case .home: moveLeft(lineStartDistance)
        case .end: moveRight(lineEndDistance)
        case .wordLeft: moveLeft(wordLeftDistance)
        default: moveRight(wordRightDistance)
        }
        return .redraw
    }

    private mutating func moveLeft(_ count: Int) {
        after = String(before.suffix(count)) + after
        before.removeLast(min(count, before.count))
    }

    private mutating func moveRight(_ count: Int) {
        before += after.prefix(count)
        after.removeFirst(min(count, after.count))
    }

    /// Moves to the line above or below; from the first and last line, moves through the history.
    private mutating func moveVertically(isUp: Bool) -> Action {
        if isUp ? before.contains("\n") : after.contains("\n") {
            let column = lineStartDistance
            if isUp {
                moveLeft(column + 1)
                moveLeft(lineStartDistance - min(column, lineStartDistance))
            } else {
                moveRight(lineEndDistance + 1)
                moveRight(min(column, lineEndDistance))
            }
            return .redraw
        }
        guard let message = history.move(isUp ? -1 : 1, from: text) else { return .none }
        setText(message)
        return .redraw
    }

    /// Deletes text, or inserts what was deleted last. Single deleted characters are not kept for that.
    private mutating func delete(_ key: Key) -> Action {
        switch key {
        case .backspace: before.removeLast(min(1, before.count))
        case .delete, .endOfInput: after.removeFirst(min(1, after.count))
        case .deleteWordLeft: cutLeft(wordLeftDistance)
        case .deleteWordRight: cutRight(wordRightDistance)
        case .deleteToStart: cutLeft(lineStartDistance)
        case .deleteToEnd: cutRight(lineEndDistance)
        default: before += clipping
        }
        return .redraw
    }

    private mutating func cutLeft(_ count: Int) {
        guard count > 0 else { return }
        clipping = String(before.suffix(count))
        before.removeLast(count)
    }

    private mutating func cutRight(_ count: Int) {
        guard count > 0 else { return }
        clipping = String(after.prefix(count))
        after.removeFirst(count)
    }

    /// The number of characters from the start of the line to the cursor.
    private var lineStartDistance: Int {
        before.reversed().prefix { $0 != "\n" }.count
    }

    /// The number of characters from the cursor to the end of the line.
    private var lineEndDistance: Int {
        after.prefix { $0 != "\n" }.count
    }

    private var wordLeftDistance: Int { Self.wordDistance(before.reversed()) }
    private var wordRightDistance: Int { Self.wordDistance(after) }

    /// The number of characters up to the end of the next word, with the separators before it.
    private static func wordDistance(_ characters: some Sequence<Character>) -> Int {
        var distance = 0
        var isInWord = false
        for character in characters {
            let isWord = character.isLetter || character.isNumber
            if isInWord, !isWord { break }
            isInWord = isWord
            distance += 1
        }
        return distance
    }
}
