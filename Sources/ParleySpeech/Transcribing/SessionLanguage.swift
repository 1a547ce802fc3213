// SPDX-License-Identifier: Apache-2.0

/// The language of a session: given, or detected once on the first speech of a second or more, and then kept.
struct SessionLanguage: Sendable, Equatable {
    /// A language and how it was found.
    struct Choice: Sendable, Equatable {
        var language: String
        var probability: Double
        var source: LanguageSource
    }

    /// What is kept for the session.
    private(set) var kept: Choice?
    private let known: [String]
    private let assumed: String?

    /// So many samples of speech are enough for the language of the session.
    static let enoughSpeech = 16_000
    /// A detected language counts from this probability on.
    private static let threshold = 0.5

    /// Checks the language of the options.
    ///
    /// - Throws: `SpeechError`, if the model does not know it.
    init(_ options: TranscriptionOptions, languages: [String]) throws {
        known = languages
        assumed = options.assumedLanguage.flatMap { Self.code($0, in: languages) }
        if let wanted = options.language {
            guard let code = Self.code(wanted, in: languages) else {
                let list = languages.count > 8 ? "" : " It knows \(languages.joined(separator: ", "))."
                throw SpeechError(
                    .invalidInput,
                    "The speech model does not know the language \(wanted.prefix(20)); give a code such as "
                        + "\(languages.first ?? "en").\(list)")
            }
            kept = Choice(language: code, probability: 1, source: .given)
        } else if languages.count == 1 {
            kept = Choice(language: languages[0], probability: 1, source: .given)
        }
    }

    /// The language for a stretch of which the model said what it most likely is.
    func choice(_ detected: (language: String, probability: Double)) -> Choice {
        if detected.probability < Self.threshold, let assumed {
            return Choice(language: assumed, probability: detected.probability, source: .assumed)
        }
        return Choice(language: detected.language, probability: detected.probability, source: .detected)
    }

    /// Keeps a language for the session.
    mutating func keep(_ choice: Choice) { kept = kept ?? choice }

    /// Codes of systems and users for languages that recognisers know by another: Bokmål is Norwegian.
    private static let otherCodes = [
        "nb": "no", "cmn": "zh", "fil": "tl", "iw": "he", "in": "id", "ji": "yi", "jv": "jw",
    ]

    /// The code of a language that may have a region, such as `de-AT`.
    private static func code(_ language: String, in languages: [String]) -> String? {
        let lowered = language.lowercased()
        let base = String(lowered.prefix { $0 != "-" && $0 != "_" })
        return [lowered, base, otherCodes[base] ?? base].first { languages.contains($0) }
    }
}
