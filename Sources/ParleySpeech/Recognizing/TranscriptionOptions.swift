// SPDX-License-Identifier: Apache-2.0

/// What is done with speech.
public struct TranscriptionTask: Hashable, Sendable, CustomStringConvertible {
    /// The task's name.
    public let description: String

    /// It is written down in the language in which it is spoken.
    public static let transcribe = TranscriptionTask(description: "transcribe")
    /// It is written down in English.
    public static let translate = TranscriptionTask(description: "translate")
}

/// How exactly a transcription says when something was spoken.
public struct TimestampDetail: Hashable, Sendable, CustomStringConvertible {
    /// The detail's name.
    public let description: String

    /// Not at all: the text is decoded without time stamps, which is a little faster.
    public static let none = TimestampDetail(description: "none")
    /// For each segment, which is a sentence or a part of one.
    public static let segment = TimestampDetail(description: "segment")
    /// For each segment and each word.
    public static let word = TimestampDetail(description: "word")
}

/// How much of its window a model computes for short sound.
public struct AudioContext: Hashable, Sendable, CustomStringConvertible {
    /// The choice's name.
    public let description: String

    /// The silence behind the speech is thinned, and the whole window is computed where the result calls for it.
    public static let automatic = AudioContext(description: "automatic")
    /// The whole window, as the model was trained.
    public static let full = AudioContext(description: "full")
}

/// How a speech model writes down what it hears.
public struct TranscriptionOptions: Hashable, Sendable {
    /// Whether what is said is written down or translated into English.
    public var task: TranscriptionTask
    /// The language that is spoken, as an ISO code such as `de`; `nil` detects it, once a session.
    public var language: String?
    /// The language that is assumed where the detected one is less likely than 0.5; the user's own by default.
    public var assumedLanguage: String? = TranscriptionOptions.languageOfUser
    /// Words that are likely to occur, or text that precedes.
    public var prompt: String?
    /// How exactly it is to be said when something was spoken.
    public var timestamps: TimestampDetail
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
    /// Where utterances end; `nil` takes windows of up to 30 seconds, which suits recordings.
    public var endpointing: Endpointing?

    /// Creates options.
    ///
    /// - Parameters:
    ///   - task: what is done with the speech.
    ///   - language: the language that is spoken; `nil` detects it.
    ///   - prompt: words that are likely to occur.
    ///   - timestamps: how exactly it is to be said when something was spoken.
    ///   - endpointing: where utterances end; `nil` takes windows of up to 30 seconds.
    public init(
        task: TranscriptionTask = .transcribe, language: String? = nil, prompt: String? = nil,
        timestamps: TimestampDetail = .segment, endpointing: Endpointing? = nil
    ) {
        (self.task, self.language, self.prompt) = (task, language, prompt)
        (self.timestamps, self.endpointing) = (timestamps, endpointing)
    }

    /// What suits a microphone: each utterance is a result of its own.
    public static let live = TranscriptionOptions(endpointing: Endpointing())

    /// The temperatures of OpenAI's own transcription.
    public static let usualTemperatures = [0, 0.2, 0.4, 0.6, 0.8, 1]
}

/// Where an utterance ends.
public struct Endpointing: Hashable, Sendable {
    /// An utterance ends after so long without speech.
    public var pause: Duration
    /// A longer utterance is divided at its longest pause; at most 28 seconds.
    public var maximumDuration: Duration

    /// Creates the rules, by default those for a conversation.
    ///
    /// - Parameters:
    ///   - pause: an utterance ends after so long without speech; at least 0.1 seconds.
    ///   - maximumDuration: a longer utterance is divided; between 2 and 28 seconds.
    public init(pause: Duration = .milliseconds(700), maximumDuration: Duration = .seconds(28)) {
        self.pause = max(pause, .milliseconds(100))
        self.maximumDuration = min(max(maximumDuration, .seconds(2)), .seconds(28))
    }
}
