// SPDX-License-Identifier: Apache-2.0

public import ParleyAudio

/// What a ``SpeechRecognizer`` is asked: one stretch of sound, and how it is to be decoded.
public struct RecognitionRequest: Hashable, Sendable {
    /// At most 30 seconds of sound of ``AudioSamples/speechRate``, from the beginning of the speech to its end and what
    /// is kept around it.
    public var audio: AudioSamples
    /// Where within the sound there is speech; the rest of it is pause.
    public var speech: Range<Duration>
    /// The language that is spoken, one of ``SpeechRecognizer/languages``.
    public var language: String
    /// Whether what is said is written down or translated.
    public var task: TranscriptionTask = .transcribe
    /// Words that are likely to occur, or text that precedes.
    public var prompt: String?
    /// The text of what precedes in the recording. Where both are too long, of this the end counts.
    public var context: String?
    /// Tokens with which the text begins without a question; ``Recognition/tokens`` of an earlier pass.
    public var prefix: [Int32] = []
    /// Tokens that probably follow ``prefix``, which one step checks. They change speed, and never the result.
    public var draft: [Int32] = []
    /// How exactly it is to be said when something was spoken.
    public var timestamps: TimestampDetail = .segment
    /// The temperatures that are tried in turn until a result passes the thresholds, each from 0 to 2.
    public var temperatures: [Double] = TranscriptionOptions.usualTemperatures
    /// A text that compresses better than this repeats itself, and is decoded again.
    public var compressionRatioThreshold = 2.4
    /// A text whose tokens have a lower mean logarithm of their probability is decoded again.
    public var logProbThreshold = -1.0
    /// Where silence is more likely than this, and the text improbable, there is none.
    public var noSpeechThreshold = 0.6
    /// How many texts are followed at once at the temperature 0, from 1 to 16. More than one takes that many times as long
    /// to decode, and changes little.
    public var beamSize = 1
    /// How much of the model's window behind the speech is computed.
    public var audioContext: AudioContext = .automatic
    /// The text has at most so many tokens.
    public var maximumTokens = 224

    /// Creates a request with the usual settings.
    ///
    /// - Parameters:
    ///   - audio: at most 30 seconds of sound of ``AudioSamples/speechRate``.
    ///   - speech: where within the sound there is speech; by default all of it.
    ///   - language: the language that is spoken.
    public init(audio: AudioSamples, speech: Range<Duration>? = nil, language: String) {
        self.audio = audio
        self.speech = speech ?? .zero..<audio.duration
        self.language = language
    }
}
