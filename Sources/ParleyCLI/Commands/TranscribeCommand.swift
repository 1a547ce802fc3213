// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import ParleyAudio
import ParleyCommandLine
import ParleyFiles
import ParleyLocalEngines
import ParleyModels
import ParleySpeech
import ParleySystem
import ParleyTensor

/// `parley transcribe`: writes down what is said in sound files.
struct TranscribeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transcribe", abstract: "Writes down what is said in sound files, or into the microphone.",
        discussion: """
            The first use fetches a small model once (146 MB), which knows 99 languages. WAV files are read as they are; \
            FLAC, MP3, Ogg and Opus where libsndfile is installed, and on Apple's systems. Nothing leaves this machine.

            The text goes to standard output, a line for each sentence or part of one. Where nobody speaks there is no \
            text. With --microphone, what is said appears while it is said, and is final after a pause; Ctrl-C ends it, \
            and what was said last is still written down.

            The status is 0 if all files were written down, also those in which nobody speaks; 1 if one could not be, \
            2 for wrong usage, 130 for Ctrl-C, which with --microphone is the usual end and 0.
            """)

    @Argument(help: "The sound files.", completion: .file(extensions: SoundFiles.extensions))
    var files: [String] = []

    @Flag(help: "Listen to the microphone instead of reading files.")
    var microphone = false

    @Option(
        help: ArgumentHelp("The microphone, as 'arecord -L' lists them. (default: the usual one)", valueName: "name"))
    var device: String?

    @Option(help: .speechModel, completion: .speechModel)
    var model = SpeechModel.defaultName

    @Option(
        help: ArgumentHelp(
            "A file of Silero's network, which tells where somebody speaks. (default: that of 'parley models pull "
                + "silero-vad', else the energy of the sound)", valueName: "file"), completion: .file())
    var voiceActivity: String?

    @Option(
        name: [.short, .long],
        help: ArgumentHelp("The language that is spoken, such as de. (default: detected)", valueName: "code"))
    var language: String?

    @Flag(help: "Translate into English.")
    var translate = false

    @Option(help: ArgumentHelp("Names and words that are likely to occur.", valueName: "text"))
    var prompt: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "How many texts are followed at once, up to 16: slower, and rarely better. (default: 1)", valueName: "n"))
    var beams: Int?

    @Flag(help: "Compute the model's whole window, also for short sound: several times slower, and rarely better.")
    var fullWindow = false

    @Flag(help: "Also tell when each word was spoken, with --json.")
    var words = false

    @Flag(help: "The form of the output: JSON with times, subtitles of SubRip or of WebVTT. (default: text)")
    var format: TranscriptForm?

    @Option(
        name: [.short, .long],
        help: ArgumentHelp("Write NAME.txt, .json, .srt or .vtt into this folder instead.", valueName: "folder"),
        completion: .directory)
    var output: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The number of threads. (default: one for each core)", valueName: "n"))
    var threads: Int?

    @Option(
        help: ArgumentHelp(
            "The instruction set of the kernels. (default: the best of this machine)", valueName: "name",
            visibility: .hidden))
    var isa: InstructionSet?

    @OptionGroup
    var fetching: FetchingOptions

    func validate() throws {
        try isa?.checkAvailable()
        try OptionRange(ThreadCount.range).check(threads, of: "--threads")
        try OptionRange(1...16).check(beams, of: "--beams")
        if microphone {
            if !files.isEmpty { throw ValidationError("Give either sound files or --microphone.") }
            if output != nil || words || format == .srt || format == .vtt {
                throw ValidationError("--microphone writes text, or with --json an object for each utterance.")
            }
            return
        }
        if device != nil { throw ValidationError("--device names the microphone: give --microphone too.") }
        if files.contains("-") {
            throw ValidationError("Standard input is not read here. Name a sound file, or give --microphone.")
        }
        if files.isEmpty { throw ValidationError("Name at least one sound file, or give --microphone.") }
        if words, format != .json { throw ValidationError("--words tells times, which only --json has.") }
        if files.count > 1, output == nil, format == .srt || format == .vtt {
            throw ValidationError("Subtitles of several files need a folder: give --output.")
        }
        if output != nil { try requireOwnNames() }
    }

    /// Checks that no two files would be written under one name, also where the case of letters makes no difference.
    private func requireOwnNames() throws {
        var known: [String: String] = [:]
        for path in files {
            if let other = known.updateValue(path, forKey: Self.stem(of: path).lowercased()) {
                throw ValidationError(
                    "\(other) and \(path) would be written under the same name: give each a folder of its own.")
            }
        }
    }

    /// The name of a sound file without its ending, which its text gets too.
    private static func stem(of path: String) -> String {
        URL(filePath: path).deletingPathExtension().lastPathComponent
    }

    func run() async throws {
        let console = Console()
        if microphone { return try await listen(console) }
        // What cannot be read is said before a model is fetched or loaded.
        var opened: [(path: String, file: AudioFile)] = []
        var failed = 0
        for path in files {
            do {
                let file = try AudioFile(URL(filePath: path))
                if file.isCutOff { console.note("\(path) ends too early; it is written down as far as it goes.") }
                opened.append((path, file))
            } catch {
                console.error(ErrorText.of(error))
                failed += 1
            }
        }
        if opened.isEmpty { throw ExitCode(1) }
        if let output {
            do {
                try FilePlace.create(URL(filePath: output, directoryHint: .isDirectory))
            } catch {
                throw CommandError("\(error.message) Choose another folder.", cause: error)
            }
        }
        let model = try await load(console)
        for (path, file) in opened {
            do {
                try await transcribe(file, path, with: model, console)
            } catch let error as SpeechError where opened.count > 1 {
                console.error("\(path): \(ErrorText.of(error))")
                failed += 1
            }
        }
        await model.unload()
        if failed > 0 { throw ExitCode(1) }
    }

    private var options: TranscriptionOptions {
        var options = TranscriptionOptions(
            task: translate ? .translate : .transcribe, language: language, prompt: prompt,
            timestamps: words ? .word : .segment)
        options.beamSize = beams ?? 1
        options.audioContext = fullWindow ? .full : .automatic
        return options
    }

    /// Writes down what the microphone hears, until Ctrl-C.
    private func listen(_ console: Console) async throws {
        let model = try await load(console)
        var options = TranscriptionOptions.live
        (options.language, options.prompt) = (language, prompt)
        options.beamSize = beams ?? 1
        options.audioContext = fullWindow ? .full : .automatic
        options.task = translate ? .translate : .transcribe
        try await LiveTranscript(console: console, isJSON: format == .json)
            .show(Microphone(device: device), model: model, options: options)
        await model.unload()
    }

    private func load(_ console: Console) async throws -> SpeechModel {
        let (name, store, isOffline, threads) = (model, fetching.store, fetching.offline, threads)
        let instructionSet = isa ?? .best
        let voiceActivity = voiceActivity.map { URL(filePath: $0) }
        return try await LoadingDisplay(model: name, console: console).during { report in
            try await SpeechModel.load(
                name, store: store, isOffline: isOffline, threads: threads, voiceActivity: voiceActivity,
                instructionSet: instructionSet, progress: report)
        }
    }

    private func transcribe(
        _ file: AudioFile, _ path: String, with model: SpeechModel, _ console: Console
    ) async throws {
        let form = format ?? .text
        let name = URL(filePath: path).lastPathComponent
        let target = try output.map { folder in
            try OutputFile(path: "\(folder)/\(Self.stem(of: path)).\(form.fileExtension)")
        }
        // Text is shown as it comes, where it goes to a terminal.
        let showsText = form == .text && target == nil
        if showsText, files.count > 1 { console.line("\(name):") }
        let display = TranscribingDisplay(name: name, duration: file.duration)
        let options = options
        let result = try await Interrupts.shared.cancelling {
            defer { display.clear() }
            return try await model.transcribe(
                file, options: options, onProgress: { display.show($0) },
                onResult: { result in
                    display.clear()
                    if showsText { console.write(TranscriptForm.lines(result.segments, text: result.text)) }
                })
        }
        if result.text.isEmpty { console.note("Nobody speaks in \(name).") }
        if result.languageSource == .assumed, let language = result.language {
            console.note("The language is not clear; \(language) is assumed. --language says which it is.")
        }
        if showsText {
            if files.count > 1 { console.line() }
            return
        }
        let text = form.text(
            result, file: files.count > 1 ? path : nil, task: options.task, words: words,
            voiceActivity: model.voiceActivity)
        if let target {
            try target.write(Data(text.utf8))
            try target.finish()
        } else {
            console.write(text)
        }
    }
}
