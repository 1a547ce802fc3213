// SPDX-License-Identifier: Apache-2.0

/// What was said in a recording.
public struct Transcription: Hashable, Sendable {
    /// The whole text; empty if nobody spoke.
    public var text: String
    /// The language, as an ISO code; `nil` if nobody spoke and none was given.
    public var language: String?
    /// How likely the language is; 1 if it was given.
    public var languageProbability: Double
    /// How the language was found.
    public var languageSource: LanguageSource
    /// The text in parts with their times, in order.
    public var segments: [TranscriptionSegment]
    /// How long the recording is.
    public var duration: Duration
    /// What it cost.
    public var stats: RecognitionStats

    /// Creates a transcription.
    public init(
        text: String, language: String?, languageProbability: Double, languageSource: LanguageSource,
        segments: [TranscriptionSegment], duration: Duration, stats: RecognitionStats = RecognitionStats()
    ) {
        (self.text, self.language, self.languageProbability) = (text, language, languageProbability)
        (self.languageSource, self.segments) = (languageSource, segments)
        (self.duration, self.stats) = (duration, stats)
    }
}

/// How the language of a transcription was found.
public struct LanguageSource: Hashable, Sendable, CustomStringConvertible {
    /// The way's name.
    public let description: String

    /// It was given in the options, or the model knows only one.
    public static let given = LanguageSource(description: "given")
    /// The model recognised it.
    public static let detected = LanguageSource(description: "detected")
    /// The model was not sure of any, so it is ``TranscriptionOptions/assumedLanguage``.
    public static let assumed = LanguageSource(description: "assumed")
}

/// A part of a transcription: a sentence, or a part of one.
public struct TranscriptionSegment: Hashable, Sendable {
    /// The text, without blanks around it.
    public var text: String
    /// When it was spoken, from the beginning of the recording.
    public var range: Range<Duration>
    /// Its words with their times, where they were asked for.
    public var words: [WordTiming]
    /// The mean logarithm of the probability of its tokens.
    public var averageLogProbability: Double
    /// How many times smaller the text becomes when it is compressed.
    public var compressionRatio: Double
    /// The probability that nobody speaks.
    public var noSpeechProbability: Double
    /// The temperature at which it was decoded.
    public var temperature: Double

    /// Creates a segment.
    public init(
        text: String, range: Range<Duration>, words: [WordTiming] = [], averageLogProbability: Double = 0,
        compressionRatio: Double = 1, noSpeechProbability: Double = 0, temperature: Double = 0
    ) {
        (self.text, self.range, self.words) = (text, range, words)
        (self.averageLogProbability, self.compressionRatio) = (averageLogProbability, compressionRatio)
        (self.noSpeechProbability, self.temperature) = (noSpeechProbability, temperature)
    }
}

/// When a word was spoken.
public struct WordTiming: Hashable, Sendable {
    /// The word with the punctuation that belongs to it, without blanks around it.
    public var word: String
    /// When it was spoken, from the beginning of the recording.
    public var range: Range<Duration>
    /// The probability of its tokens.
    public var probability: Double

    /// Creates a word.
    public init(word: String, range: Range<Duration>, probability: Double) {
        (self.word, self.range, self.probability) = (word, range, probability)
    }
}

/// What has been understood of speech that goes on.
///
/// A result that is not final replaces every earlier one that is not. A final one never changes; the ranges of final
/// results are disjoint and ascend.
public struct TranscriptionResult: Hashable, Sendable {
    /// The text of the utterance.
    public var text: String
    /// When it was spoken, from the beginning of the session.
    public var range: Range<Duration>
    /// Whether the utterance is over, and this is its text.
    public var isFinal: Bool
    /// The parts of a final result, with their times from the beginning of the session.
    public var segments: [TranscriptionSegment]
    /// The language in which it was decoded.
    public var language: String
    /// How the language was found.
    public var languageSource: LanguageSource

    /// Creates a result.
    public init(
        text: String, range: Range<Duration>, isFinal: Bool, segments: [TranscriptionSegment] = [], language: String,
        languageSource: LanguageSource = .given
    ) {
        (self.text, self.range, self.isFinal, self.segments) = (text, range, isFinal, segments)
        (self.language, self.languageSource) = (language, languageSource)
    }
}
