// SPDX-License-Identifier: Apache-2.0

/// A key that was pressed, or text that was pasted.
package enum Key: Sendable, Hashable {
    /// One Unicode scalar of text.
    case text(Unicode.Scalar)
    /// Pasted text, with line feeds between its lines.
    case paste(String)
    case enter, newline, tab
    case left, right, up, down, home, end, wordLeft, wordRight
    case backspace, delete, deleteWordLeft, deleteWordRight, deleteToStart, deleteToEnd, yank
    case clearScreen, interrupt, endOfInput, suspend
}
