// SPDX-License-Identifier: Apache-2.0

public import ParleyAudio

/// An error of speech recognition: what happened and how to remedy it.
///
/// The message may name files, models and devices; it never contains what was said.
public struct SpeechError: Error, Sendable, CustomStringConvertible {
    /// What kind of failure it is; more kinds may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The kind's name.
        public let description: String

        /// There is no microphone, it is in use, or what drives it is not installed.
        public static let microphoneUnavailable = Code(description: "microphoneUnavailable")
        /// The user or the system does not allow the microphone to be used.
        public static let microphoneDenied = Code(description: "microphoneDenied")
        /// There is nothing that reads aloud, or it failed.
        public static let voiceUnavailable = Code(description: "voiceUnavailable")
        /// The recording is too short to contain speech.
        public static let tooShort = Code(description: "tooShort")
        /// Nobody spoke in the recording.
        public static let nothingHeard = Code(description: "nothingHeard")
        /// There is no speech model, or it was unloaded.
        public static let modelNotLoaded = Code(description: "modelNotLoaded")
        /// The sound is in a form that cannot be read here, or it is damaged.
        public static let unsupportedAudio = Code(description: "unsupportedAudio")
        /// The model's files are in a form that cannot be read here, or they are damaged.
        public static let unsupportedModel = Code(description: "unsupportedModel")
        /// The model does not fit into the memory that is available.
        public static let insufficientMemory = Code(description: "insufficientMemory")
        /// The caller passed an invalid value, such as a language that the model does not know.
        public static let invalidInput = Code(description: "invalidInput")
        /// Recognition failed.
        public static let transcriptionFailed = Code(description: "transcriptionFailed")
    }

    /// What kind of failure it is.
    public var code: Code
    /// What happened and what to do.
    public var message: String
    /// The underlying error, if any.
    public var cause: (any Error)?

    /// Creates an error.
    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        (self.code, self.message, self.cause) = (code, message, cause)
    }

    /// The same error of a sound file or microphone, as one of speech recognition.
    public init(_ error: AudioError) {
        let code: Code =
            switch error.code {
            case .microphoneUnavailable: .microphoneUnavailable
            case .microphoneDenied: .microphoneDenied
            default: .unsupportedAudio
            }
        self.init(code, error.message, cause: error.cause)
    }

    /// The message.
    public var description: String { message }
}
