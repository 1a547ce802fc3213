// SPDX-License-Identifier: Apache-2.0

/// What a ``SpeechRecognizer`` wrote down of a stretch of sound.
public struct Recognition: Hashable, Sendable {
    /// The text without time stamps, and without the model's remarks on silence or music.
    public var text: String
    /// The text in parts, with times from the beginning of the stretch; at least one part if there is text.
    public var segments: [TranscriptionSegment]
    /// The tokens of ``text``, in order, without time stamps and control tokens.
    public var tokens: [Int32]
    /// After how many of ``tokens`` each word ends, ascending; empty if the recogniser does not say.
    public var wordEnds: [Int] = []
    /// Up to where the stretch was written down completely. What follows belongs to a sentence that goes on behind the
    /// end; it is given to the recogniser again, with what follows.
    public var consumed: Duration
    /// The language in which it was decoded.
    public var language: String
    /// The mean logarithm of the probability of the tokens.
    public var averageLogProbability = 0.0
    /// How many times smaller the text becomes when it is compressed.
    public var compressionRatio = 1.0
    /// The probability that nobody speaks.
    public var noSpeechProbability = 0.0
    /// The temperature at which the text was decoded.
    public var temperature = 0.0
    /// Whether the model's whole window was computed, and not only what ``AudioContext/automatic`` keeps of it.
    public var usedFullContext = false
    /// What it cost.
    public var stats = RecognitionStats()

    /// A recogniser that has ``consumed`` less does not get on, and is not asked again for the rest of a stretch.
    package static let shortestProgress = Duration.seconds(1)

    /// Creates a result.
    ///
    /// - Parameters:
    ///   - text: the text.
    ///   - segments: its parts.
    ///   - tokens: its tokens.
    ///   - consumed: up to where the stretch was written down completely.
    ///   - language: the language in which it was decoded.
    public init(
        text: String, segments: [TranscriptionSegment], tokens: [Int32] = [], consumed: Duration, language: String
    ) {
        (self.text, self.segments, self.tokens) = (text, segments, tokens)
        (self.consumed, self.language) = (consumed, language)
    }
}
