// SPDX-License-Identifier: Apache-2.0

extension LineEditor {
    /// Moves within the text.
    mutating func move(_ key: Key) -> Action {
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

    /// Moves between the lines of the text and, beyond them, through the history.
    mutating func moveVertically(isUp: Bool) -> Action {
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
        let next = historyIndex + (isUp ? -1 : 1)
        guard (0...history.count).contains(next) else { return .none }
        if historyIndex == history.count { draft = text }
        historyIndex = next
        setText(next == history.count ? draft : history[next])
        return .redraw
    }

    var lineStartDistance: Int {
        before.reversed().prefix { $0 != "\n" }.count
    }

    var lineEndDistance: Int {
        after.prefix { $0 != "\n" }.count
    }

    var wordLeftDistance: Int { Self.wordDistance(before.reversed()) }
    var wordRightDistance: Int { Self.wordDistance(after) }

    /// The distance over characters between words and the word that follows them.
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
