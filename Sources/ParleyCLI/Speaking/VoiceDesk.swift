// SPDX-License-Identifier: Apache-2.0

import ParleyActions
import ParleyAssistant
import ParleyAudio
import ParleySpeech
import Synchronization

/// The ears and the voice of a chat on a terminal.
final class VoiceDesk: Sendable {
    private struct State {
        /// Whether the next message is spoken, unless the user types.
        var listensNext = true
        /// The language of the last message, in which its reply is read.
        var language: String?
        /// What was heard of the next message already, because it interrupted the last reply.
        var heard: HeardSound?
        var hasToldOfVoice = false
    }

    /// Whether what was said is sent at once.
    let sends: Bool
    /// Whether messages can be spoken.
    var hears: Bool { model != nil }
    private let model: SpeechModel?
    private let voice: (any SpeechVoice)?
    private let language: String?
    private let device: String?
    private let state = Mutex(State())

    init(model: SpeechModel?, voice: (any SpeechVoice)?, sends: Bool, language: String?, device: String?) {
        (self.model, self.voice, self.sends) = (model, voice, sends)
        (self.language, self.device) = (language, device)
    }

    /// Whether the next message is spoken, unless the user types.
    var listensNext: Bool {
        get { hears && state.withLock { $0.listensNext } }
        set { state.withLock { $0.listensNext = newValue } }
    }

    /// The microphone.
    var microphone: Microphone { Microphone(device: device) }

    /// Prepares the recording of the next message; nil without a model.
    func dictation() -> Dictation? {
        guard let model else { return nil }
        let heard = state.withLock { state in
            defer { state.heard = nil }
            return state.heard
        }
        let source: any AudioSource = heard ?? microphone
        return Dictation(model, source: source, options: TranscriptionOptions(language: language))
    }

    /// What is said as the input of an assistant; nil without a model.
    var input: SpokenInput? {
        guard hears else { return nil }
        return SpokenInput(onEvent: { [self] in keep($0) }) { [self] in
            guard let dictation = dictation() else { throw SpeechFailure.noModel }
            return dictation
        }
    }

    /// Keeps the language of what was said.
    func keep(_ event: DictationEvent) {
        if case .transcript(_, let language) = event { state.withLock { $0.language = language } }
    }

    /// Keeps what was heard of the next message.
    func keep(_ heard: HeardSound) { state.withLock { $0.heard = heard } }

    /// Begins to read a reply aloud; nil where nothing is to be read.
    func readingAloud() -> ReadingAloud? {
        guard let voice else { return nil }
        let spoken = state.withLock { $0.language }
        return ReadingAloud(voice, language: language ?? spoken ?? TranscriptionOptions.languageOfUser)
    }

    /// Whether a failure of the voice is to be told; once.
    func tellsOfVoice() -> Bool {
        state.withLock { state in
            defer { state.hasToldOfVoice = true }
            return !state.hasToldOfVoice
        }
    }

    /// Records a message and shows it.
    ///
    /// - Returns: the board, and what ends with the recording.
    func record() -> (board: SpeechBoard, work: Task<Void, Never>)? {
        guard let dictation = dictation() else { return nil }
        let board = SpeechBoard { dictation.finish() }
        let work = Task { [self] in
            do {
                for try await event in dictation.events() {
                    keep(event)
                    board.show(event)
                }
                board.end(.failed(CancellationError()))
            } catch {
                board.end(.failed(error))
            }
        }
        return (board, work)
    }

    /// Gives the model's memory back.
    func close() async { await model?.unload() }
}
