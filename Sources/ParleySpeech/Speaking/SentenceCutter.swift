// SPDX-License-Identifier: Apache-2.0

/// Divides a text that arrives in pieces into sentences to be read aloud.
///
/// A sentence ends with its mark and a blank behind it, or with its line. Numbers ("3.", "3.5") and single letters ("z. B.")
/// end none. Blocks of code are left out, and so are addresses and the marks of Markdown around words; of a link its text
/// is kept. What is cut does not depend on how the text was cut into pieces.
package struct SentenceCutter: Sendable {
    /// The line that grows, from the end of the last sentence on.
    private var rest = ""
    private var isInCode = false

    private static let ends: Set<Character> = [".", "!", "?", "…"]
    /// These end a sentence without a blank behind them.
    private static let fullEnds: Set<Character> = ["。", "！", "？"]
    private static let closing: Set<Character> = ["\"", "'", ")", "]", "”", "’", "«", "»", "*", "_"]

    /// Begins with an empty text.
    package init() {}

    /// Takes a piece of the text.
    ///
    /// - Returns: the sentences that it completes.
    package mutating func append(_ piece: String) -> [String] {
        var result: [String] = []
        for character in piece {
            if character.isNewline {
                result += endLine()
            } else {
                // The blank shows that the mark before it was the end.
                if character.isWhitespace, endsSentence(rest) { result += take() }
                rest.append(character)
                if Self.fullEnds.contains(character) { result += take() }
            }
        }
        return result
    }

    /// What is left when the text has ended.
    package mutating func finish() -> String? { endLine().first }

    private mutating func endLine() -> [String] {
        if isFence {
            isInCode.toggle()
            rest = ""
            return []
        }
        return take()
    }

    private mutating func take() -> [String] {
        defer { rest = "" }
        if isInCode || isFence { return [] }
        let text = SpokenText.trim(Self.withoutMarks(rest))
        return text.contains { $0.isLetter || $0.isNumber } ? [text] : []
    }

    /// Whether the line begins or ends a block of code.
    private var isFence: Bool { ["```", "~~~"].contains { SpokenText.trim(rest).hasPrefix($0) } }

    /// Whether a text ends with the end of a sentence.
    private func endsSentence(_ text: String) -> Bool {
        if isInCode { return false }
        var text = text[...]
        while let last = text.last, Self.closing.contains(last) { text = text.dropLast() }
        guard let mark = text.last, Self.ends.contains(mark) else { return false }
        if mark != "." { return true }
        let word = text.dropLast().reversed().prefix { $0.isLetter || $0.isNumber }
        return !(word.count == 1 && word.first?.isLetter == true || word.allSatisfy(\.isNumber) && !word.isEmpty)
    }

    /// The text of a line without headings, bullets, emphasis and the marks of code.
    private static func withoutMarks(_ line: String) -> String {
        let words = line.replacing(/!?\[([^\[\]]*)\]\([^()]*\)/) { $0.1 }.replacing(
            /<?(?:https?:\/\/|www\.)[^\s<>)]+>?/, with: "")
        var text = words.drop { $0.isWhitespace || $0 == "#" || $0 == ">" }
        if let first = text.first, "-*+".contains(first), text.dropFirst().first?.isWhitespace == true {
            text = text.dropFirst(2)
        }
        return text.filter { $0 != "*" && $0 != "`" }
    }
}
