// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ParleyCommandLine
import ParleyLocalEngines
import ParleySpeech

/// The options of chats that hear and speak.
struct VoiceOptions: ParsableArguments {
    @Flag(
        help: """
            Speak instead of typing. What is understood appears while you speak; a pause of 1.5 s or Enter ends it and \
            puts it into the line, where it can be changed and Enter sends it. Esc or any letter goes back to typing, \
            Enter on an empty line speaks again. A message has 30 s at most. No sound leaves this machine.
            """)
    var voice = false

    @Flag(
        inversion: .prefixedNo,
        help: "Send what was said as soon as it is understood. (default: with --speak, so that no hand is needed)")
    var send: Bool?

    @Flag(
        help: """
            Read replies aloud while they are written, without code and addresses, with the system's voice or \
            espeak-ng. Any key silences it, and with --voice so does speaking, which also ends the reply.
            """)
    var speak = false

    @Option(
        help: ArgumentHelp(
            "The model that writes down what is said, as 'parley transcribe' takes it.", valueName: "name"),
        completion: .speechModel)
    var speechModel: String?

    @Option(help: ArgumentHelp("The language that is spoken, such as de. (default: detected)", valueName: "code"))
    var language: String?

    @Option(
        help: ArgumentHelp("The microphone, as 'arecord -L' lists them. (default: the usual one)", valueName: "name"))
    var device: String?

    mutating func validate() throws {
        if !voice {
            if send != nil { throw ValidationError("--send is for what is said: give --voice too.") }
            if speechModel != nil {
                throw ValidationError("--speech-model writes down what is said: give --voice too.")
            }
            if device != nil { throw ValidationError("--device names the microphone: give --voice too.") }
            if language != nil, !speak {
                throw ValidationError("--language is that of speech: give --voice or --speak too.")
            }
        }
    }

    /// Whether a chat hears or speaks at all.
    var isWanted: Bool { voice || speak }

    /// The error where there is no terminal.
    static let noTerminal = ValidationError("--voice and --speak are for a chat on a terminal.")

    /// Loads what is needed; nil if nothing is.
    ///
    /// - Throws: `SpeechError`; `CancellationError`.
    func desk(_ loading: LoadingOptions, console: Console) async throws -> VoiceDesk? {
        guard isWanted else { return nil }
        let (name, threads) = (speechModel ?? SpeechModel.defaultName, loading.computing.threads)
        let (store, isOffline) = (loading.fetching.store, loading.fetching.offline)
        var model: SpeechModel?
        if voice {
            model = try await LoadingDisplay(model: name, console: console).during { report in
                try await SpeechModel.load(name, store: store, isOffline: isOffline, threads: threads, progress: report)
            }
        }
        return VoiceDesk(
            model: model, voice: speak ? SystemVoice.standard() : nil, sends: send ?? speak, language: language,
            device: device)
    }
}
