// SPDX-License-Identifier: Apache-2.0

/// Divides a text that arrives in pieces into sentences to be read aloud.
///
/// A sentence ends with its mark and a blank behind it, or with its line. Numbers ("3.", "3.5") and single letters ("z. B.")
/// end none. Blocks of code are left out, and so are addresses and the marks of Markdown around words; of a link its text
/// is kept. What is cut does not depend on how the text was cut into pieces.
package struct SentenceCutter: Sendable {
    /// The line that grows, from the end of the last sentence on.
    private var rest = ""
    /// The marks that began the block of code that goes on; nil outside of one.
    private var open: String?

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
                if character.isWhitespace, Self.endsSentence(rest), !isCode { result += take() }
                rest.append(character)
                if Self.fullEnds.contains(character), !isCode { result += take() }
            }
        }
        return result
    }

    /// What is left when the text has ended.
    package mutating func finish() -> String? { endLine().first }

    private mutating func endLine() -> [String] {
        let fence = Self.fence(of: rest)
        guard open != nil || fence != nil else { return take() }
        if let begun = open {
            // As many marks or more end it, with nothing behind them.
            if let fence, fence.info.isEmpty, fence.marks.hasPrefix(begun) { open = nil }
        } else {
            open = fence?.marks
        }
        rest = ""
        return []
    }

    private mutating func take() -> [String] {
        defer { rest = "" }
        let text = SpokenText.trim(Self.withoutMarks(rest))
        return text.contains { $0.isLetter || $0.isNumber } ? [text] : []
    }

    /// Whether the line is one of a block of code, or begins one.
    private var isCode: Bool { open != nil || Self.fence(of: rest) != nil }

    /// The marks of a line that begins or ends a block of code, and what is behind them; nil for another line.
    /// See [CommonMark](https://spec.commonmark.org/0.31.2/#fenced-code-blocks).
    private static func fence(of line: String) -> (marks: String, info: String)? {
        let line = SpokenText.trim(line)
        guard let mark = line.first, mark == "`" || mark == "~" else { return nil }
        let marks = String(line.prefix { $0 == mark })
        let info = SpokenText.trim(String(line.dropFirst(marks.count)))
        // Code within a line may have three marks too.
        return marks.count >= 3 && !(mark == "`" && info.contains(mark)) ? (marks, info) : nil
    }

    /// Whether a text ends with the end of a sentence.
    private static func endsSentence(_ text: String) -> Bool {
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
