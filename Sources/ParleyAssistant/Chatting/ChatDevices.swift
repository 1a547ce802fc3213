// SPDX-License-Identifier: Apache-2.0

/// Turns speech into text: records, and transcribes what was recorded.
public protocol SpeechInput: Sendable {
    /// Begins to record, for at most 30 seconds, and yields what happens until the transcript or an error.
    ///
    /// The last event is ``SpeechEvent/transcript(_:)``, or the stream throws an error whose description is shown to the
    /// user, such as a ``SpeechFailure``.
    func record() -> AsyncThrowingStream<SpeechEvent, any Error>

    /// Ends the recording; it is transcribed then.
    func finish() async

    /// Ends the recording and forgets it.
    func discard() async
}

/// What happens while speech is turned into text.
public enum SpeechEvent: Hashable, Sendable {
    /// What was understood so far.
    case partial(String)
    /// The recording has ended, by hand or by silence, and is being transcribed.
    case transcribing
    /// The text of the whole recording; the last event.
    case transcript(String)
}

/// Why speech could not be turned into text.
public enum SpeechFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// There is no microphone, or the app may not use it.
    case noMicrophone
    /// The recording is too short to contain words.
    case tooShort
    /// Nobody spoke.
    case nothingHeard
    /// No model for speech is loaded.
    case noModel
    /// The transcription failed.
    case failed

    /// What happened and what to do.
    public var description: String {
        switch self {
        case .noMicrophone: "No microphone can be used; connect one and allow its use."
        case .tooShort: "The recording is too short. Speak for a second or more."
        case .nothingHeard: "Nothing was heard. Speak closer to the microphone, or see whether it is on."
        case .noModel: "No model for speech is loaded; load one first."
        case .failed: "The speech could not be transcribed; try again."
        }
    }
}

/// Gives signs that can be felt.
public protocol HapticFeedback: Sendable {
    /// Gives the sign of an event.
    @MainActor func play(_ event: HapticEvent)
}

/// An event that can be felt.
public enum HapticEvent: String, Hashable, Sendable, CaseIterable {
    case sent, replied, failed, voiceStarted, voiceDone, voiceCancelled
}

/// Shows the progress of a reply outside the app, such as on a lock screen.
public protocol LiveActivity: Sendable {
    /// A reply has begun in a chat with a title.
    @MainActor func begin(title: String)
    /// The reply has ended.
    @MainActor func end()
}

/// Listens without a hand on the device, such as through headphones.
public protocol HandsFreeCoordinator: Sendable {
    /// Whether it is listening, with each change.
    func listening() -> AsyncStream<Bool>
}

/// Keeps the prompts that the user has pinned.
public protocol PinnedPromptStore: Sendable {
    /// The pinned prompts, in order.
    ///
    /// - Throws: any error, whose description is shown to the user.
    func pinnedPrompts() async throws -> [String]

    /// Keeps these prompts in place of the earlier ones.
    ///
    /// - Throws: any error, whose description is shown to the user.
    func keep(_ prompts: [String]) async throws
}

/// Suggests what could be asked.
public protocol PromptSuggester: Sendable {
    /// Some prompts for an empty chat.
    func prompts(_ count: Int) async -> [String]
}
