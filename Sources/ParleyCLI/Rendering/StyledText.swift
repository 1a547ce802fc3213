// SPDX-License-Identifier: Apache-2.0

import ParleySystem

/// A line or a paragraph as pieces of text in styles, without a place on the screen yet.
struct StyledText: Hashable, Sendable {
    private struct Piece: Hashable, Sendable {
        var text: String
        var look: TextStyle.Look
    }

    private var pieces: [Piece] = []

    /// Creates a text without control characters. Line ends in it break the line.
    init(_ text: String = "", _ look: TextStyle.Look = []) { append(text, look) }

    /// Adds a text, of which control characters are removed.
    mutating func append(_ text: String, _ look: TextStyle.Look = []) {
        let text = PlainText.clean(text)
        if text.isEmpty { return }
        if pieces.last?.look == look {
            pieces[pieces.count - 1].text += text
        } else {
            pieces.append(Piece(text: text, look: look))
        }
    }

    /// Adds another text behind this one.
    mutating func append(_ other: StyledText) { for piece in other.pieces { append(piece.text, piece.look) } }

    /// The columns that the text takes on one line.
    var width: Int { pieces.reduce(0) { $0 + DisplayWidth.of($1.text) } }

    /// The text with the sequences of its styles.
    func text(_ style: TextStyle) -> String { pieces.map { style.apply($0.look, $0.text) }.joined() }

    /// The text in lines of at most so many columns, broken between words; a word that is longer is broken within.
    func wrapped(columns: Int) -> [StyledText] {
        let columns = max(columns, 1)
        var lines = [StyledText()]
        var (column, gap) = (0, StyledText())
        var word = StyledText()
        func endWord(_ lines: inout [StyledText]) {
            defer { (word, gap) = (StyledText(), StyledText()) }
            guard !word.pieces.isEmpty else { return }
            let width = word.width
            if column > 0, column + gap.width + width > columns {
                lines.append(StyledText())
                column = 0
            } else {
                lines[lines.count - 1].append(gap)
                column += gap.width
            }
            for piece in word.pieces {
                for character in piece.text {
                    let width = DisplayWidth.of(character)
                    if column + width > columns, column > 0 {
                        lines.append(StyledText())
                        column = 0
                    }
                    lines[lines.count - 1].append(String(character), piece.look)
                    column += width
                }
            }
        }
        for piece in pieces {
            for character in piece.text {
                if character.isNewline {
                    endWord(&lines)
                    lines.append(StyledText())
                    column = 0
                } else if character.isWhitespace {
                    if !word.pieces.isEmpty { endWord(&lines) }
                    gap.append(" ", piece.look)
                } else {
                    // Scripts with wide characters may break between any two characters.
                    if DisplayWidth.of(character) == 2, !word.pieces.isEmpty { endWord(&lines) }
                    word.append(String(character), piece.look)
                }
            }
        }
        endWord(&lines)
        return lines
    }

    /// The text with spaces around it up to a width.
    func padded(to width: Int, before share: Double) -> StyledText {
        let room = max(width - self.width, 0)
        let before = Int((Double(room) * share).rounded(.down))
        var text = StyledText(String(repeating: " ", count: before))
        text.append(self)
        text.append(String(repeating: " ", count: room - before))
        return text
    }
}
