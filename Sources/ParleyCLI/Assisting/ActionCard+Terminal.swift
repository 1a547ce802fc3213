// SPDX-License-Identifier: Apache-2.0

import ParleyAssistant
import ParleySystem

extension ActionCard {
    /// What is asked about now. Undoing is left to `/undo`, so that a card which is done asks nothing.
    var openChoices: [Choice] { choices.filter { $0.event != .undo } }

    /// The lines of the card as the terminal shows it.
    ///
    /// - Parameters:
    ///   - context: the time and place.
    ///   - width: the columns for the text.
    ///   - isAsked: whether somebody can press a key.
    /// - Returns: the lines, the first of which is the headline.
    func lines(in context: DateContext, width: Int, isAsked: Bool) -> [Line] {
        // Undoing is a command here, not a key.
        let undo = logEntry.map { "/undo \($0) takes it back" } ?? ""
        let lines = text(in: context, width: width, isAsked: isAsked)
            .split(separator: "\n", omittingEmptySubsequences: false)
        return lines.enumerated().map { index, line in
            let text = PlainText.clean(String(line)).replacing("[u]\u{A0}Undo", with: undo)
            return Line(text: text, isHeadline: index == 0)
        }
    }

    /// A line of a card.
    struct Line {
        var text: String
        var isHeadline: Bool

        /// The line behind the bar that marks cards.
        func styled(_ style: TextStyle) -> String { style.accent("│ ") + (isHeadline ? style.bold(text) : text) }
    }
}
