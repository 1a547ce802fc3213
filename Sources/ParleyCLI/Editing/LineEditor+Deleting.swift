// SPDX-License-Identifier: Apache-2.0

extension LineEditor {
    /// Deletes, or puts back what a deletion of more than a character took.
    mutating func delete(_ key: Key) -> Action {
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
}
