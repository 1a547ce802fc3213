// SPDX-License-Identifier: Apache-2.0

/// Puts texts together that were spoken one after the other.
enum SpokenText {
    /// Joins texts in the language in which they are written.
    static func joined(_ texts: [String], language: String?) -> String {
        let trimmed = texts.map(trim).filter { !$0.isEmpty }
        return trimmed.joined(separator: language.map(WrittenLanguage.hasBlanks) == false ? "" : " ")
    }

    static func trim(_ text: String) -> String {
        let end = text.lastIndex { !$0.isWhitespace }.map(text.index(after:)) ?? text.startIndex
        return String(text[..<end].drop { $0.isWhitespace })
    }
}
