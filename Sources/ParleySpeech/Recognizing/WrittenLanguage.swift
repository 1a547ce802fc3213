// SPDX-License-Identifier: Apache-2.0

/// How languages are written.
package enum WrittenLanguage {
    /// Languages without blanks between words.
    private static let unspaced: Set<String> = ["zh", "ja", "th", "lo", "my", "km", "yue", "bo"]

    /// Whether a language has blanks between words.
    package static func hasBlanks(_ language: String) -> Bool { !unspaced.contains(language) }
}

extension TranscriptionTask {
    /// The language of the text, where another may be spoken: a translation is in English.
    package func language(ofText spoken: String) -> String { self == .translate ? "en" : spoken }
}
