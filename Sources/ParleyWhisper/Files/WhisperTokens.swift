// SPDX-License-Identifier: Apache-2.0

/// The numbers of Whisper's control tokens and time stamps, which follow from the size of the vocabulary.
package struct WhisperTokens: Sendable, Hashable {
    /// The sizes that Whisper's vocabularies have: English alone, 99 and 100 languages.
    package static let vocabularySizes = 51_864...51_866

    package let endOfText: Int32
    package let languageCount: Int
    package let isMultilingual: Bool

    /// The tokens of a vocabulary of one of ``vocabularySizes``.
    package init(vocabularySize: Int) {
        isMultilingual = vocabularySize > 51_864
        endOfText = isMultilingual ? 50_257 : 50_256
        languageCount = vocabularySize - 51_765 - (isMultilingual ? 1 : 0)
    }

    package var start: Int32 { endOfText + 1 }
    package var firstLanguage: Int32 { start + 1 }
    private var afterLanguages: Int32 { firstLanguage + Int32(languageCount) }
    package var translate: Int32 { afterLanguages }
    package var transcribe: Int32 { afterLanguages + 1 }
    /// Begins the text that precedes a window.
    package var startOfPrevious: Int32 { afterLanguages + 3 }
    /// Says that nobody speaks.
    package var noSpeech: Int32 { afterLanguages + 4 }
    /// Says that no time stamps follow.
    package var noTimestamps: Int32 { afterLanguages + 5 }
    /// The time stamp 0; each further one is 0.02 seconds later.
    package var firstTimestamp: Int32 { afterLanguages + 6 }

    /// The languages in the order of their tokens.
    package var languages: [String] { isMultilingual ? Array(Self.codes.prefix(languageCount)) : ["en"] }

    /// The token of a language; nil if the model does not know it.
    package func token(of language: String) -> Int32? {
        Self.codes.prefix(languageCount).firstIndex(of: language).map { firstLanguage + Int32($0) }
    }

    private static let codes =
        """
        en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi ml \
        cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc ka be tg sd gu am \
        yi lo uz fo ht ps tk nn mt sa lb my bo tl mg as tt haw ln ha ba jw su yue
        """.split(separator: " ").map(String.init)
}
