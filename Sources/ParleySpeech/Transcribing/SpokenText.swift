// SPDX-License-Identifier: Apache-2.0

/// Puts texts together that were spoken one after the other.
enum SpokenText {
    /// Languages that are written without blanks between words.
    private static let unspaced: Set<String> = ["zh", "ja", "th", "lo", "my", "km", "yue", "bo"]

    static func joined(_ texts: [String], language: String?) -> String {
        let trimmed = texts.map(trim).filter { !$0.isEmpty }
        return trimmed.joined(separator: language.map(unspaced.contains) == true ? "" : " ")
    }

    static func trim(_ text: String) -> String {
        let end = text.lastIndex { !$0.isWhitespace }.map(text.index(after:)) ?? text.startIndex
        return String(text[..<end].drop { $0.isWhitespace })
    }
}
