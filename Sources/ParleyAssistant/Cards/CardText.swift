// SPDX-License-Identifier: Apache-2.0

import ParleySystem

/// Builds the lines of a card for a terminal: labels on the left, texts beside them, broken between words.
struct CardText {
    private(set) var lines: [String] = []
    private let width: Int
    private static let indent = 8

    init(width: Int) { self.width = max(width, 24) }

    /// Adds a text over the whole width.
    mutating func add(_ text: String) { add("", text, indent: 0) }

    /// Adds a text with a label; without one it continues the text above.
    mutating func add(_ label: String, _ text: String, indent: Int = CardText.indent) {
        for (index, line) in Self.wrapped(text, width - indent).enumerated() {
            let head = index == 0 ? label : ""
            let space = String(repeating: " ", count: max(0, indent - head.count))
            lines.append(head + space + line)
        }
    }

    /// A text in one line, as long as a card has room for.
    static func line(_ text: String, _ limit: Int = 120) -> String { PlainText.line(text, upTo: limit) }

    /// Breaks a text between words; a word that is longer than a line is broken within.
    private static func wrapped(_ text: String, _ width: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            var word = Substring(word)
            if !line.isEmpty, line.count + 1 + word.count > width {
                lines.append(line)
                line = ""
            }
            while word.count > width {
                lines.append(String(word.prefix(width)))
                word = word.dropFirst(width)
            }
            line += line.isEmpty ? word : " " + word
        }
        if !line.isEmpty || lines.isEmpty { lines.append(line) }
        return lines
    }
}
