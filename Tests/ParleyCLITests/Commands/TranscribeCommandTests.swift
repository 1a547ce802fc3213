// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAudio
import ParleyCLI
import ParleyJSON
import ParleySpeech
import ParleyTesting
import Testing

import struct ParleyRuntime.SplitMix64

@Suite("parley transcribe")
struct TranscribeCommandTests {
    private let parley: ParleyProcess

    init() throws {
        parley = try ParleyProcess()
        try Data(TinyWhisper().ggml(.f32)).write(to: parley.directory.appending(path: "ggml-tiny.bin"))
        try write(Self.sound(isSpoken: false), to: "silence.wav")
        try write(Self.sound(isSpoken: true), to: "speech.wav")
    }

    /// A second of silence, two of noise in the rhythm of syllables or none, and a second of silence.
    private static func sound(isSpoken: Bool) -> AudioSamples {
        var random = SplitMix64(seed: 4)
        return AudioSamples(
            samples: (0..<64_000).map { index in
                let isLoud = isSpoken && (16_000..<48_000).contains(index) && index % 3200 < 2400
                return Float.random(in: -1...1, using: &random) * (isLoud ? 0.3 : 0.001)
            })
    }

    private func write(_ sound: AudioSamples, to name: String) throws {
        try sound.wav().write(to: parley.directory.appending(path: name))
    }

    private func transcribe(_ arguments: String...) async throws -> ParleyProcess.Outcome {
        try await parley.run(["transcribe", "--model", "ggml-tiny.bin", "--threads", "1"] + arguments)
    }

    @Test("where nobody speaks there is no text, in any form")
    func silence() async throws {
        let text = try await transcribe("silence.wav")
        #expect(text.status == 0 && text.output.isEmpty)
        #expect(text.errors.contains("Nobody speaks in silence.wav."))
        #expect(try await transcribe("silence.wav", "--srt").text == "")
        #expect(try await transcribe("silence.wav", "--vtt").text == "WEBVTT\n\n")
        let json = try JSONValue(parsing: try await transcribe("silence.wav", "--json").text)
        #expect(
            json["text"] == "" && json["segments"] == [] && json["duration"]?.number == 4 && json["language"] == "en")
    }

    @Test("speech is recognised, and what language it was is told")
    func speech() async throws {
        let outcome = try await transcribe("speech.wav", "--json", "--language", "en")
        #expect(outcome.status == 0, "\(outcome.errors)")
        let json = try JSONValue(parsing: outcome.text)
        #expect(json["language"] == "en" && json["language_source"] == "given" && json["task"] == "transcribe")
        let translated = try JSONValue(
            parsing: try await transcribe("speech.wav", "--json", "--language", "en", "--translate").text)
        #expect(translated["task"] == "translate")
    }

    @Test("several files are written into a folder; one that cannot be read does not keep the others from it")
    func several() async throws {
        let folder = parley.directory.appending(path: "out")
        let outcome = try await transcribe("silence.wav", "missing.wav", "speech.wav", "--vtt", "--output", "out")
        #expect(outcome.status == 1 && outcome.output.isEmpty)
        #expect(outcome.errorLines.contains("parley: The file missing.wav does not exist."))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["silence.vtt", "speech.vtt"])
        let silent = try String(contentsOf: folder.appending(path: "silence.vtt"), encoding: .utf8)
        #expect(silent == "WEBVTT\n\n")
        let lines = try await transcribe("silence.wav", "speech.wav", "--json").text.split(separator: "\n")
        #expect(try lines.map { try JSONValue(parsing: String($0))["file"] } == ["silence.wav", "speech.wav"])
    }

    @Test("a file that ends too early is written down as far as it goes, and it is said")
    func cutOff() async throws {
        try Self.sound(isSpoken: false).wav().prefix(40_000).write(to: parley.directory.appending(path: "cut.wav"))
        let outcome = try await transcribe("cut.wav")
        #expect(outcome.status == 0)
        #expect(outcome.errors.contains("cut.wav ends too early"))
    }

    @Test(
        "wrong usage is told before anything is loaded",
        arguments: [
            ["transcribe"], ["transcribe", "a.wav", "--words"], ["transcribe", "a.wav", "b.wav", "--srt"],
            ["transcribe", "a.wav", "--microphone"], ["transcribe", "--microphone", "--vtt"],
            ["transcribe", "a.wav", "--device", "x"], ["transcribe", "a.wav", "--threads", "0"],
            ["transcribe", "a.wav", "--json", "--srt"], ["transcribe", "a/rec.wav", "b/Rec.mp3", "--output", "out"],
        ])
    func usage(arguments: [String]) async throws {
        let outcome = try await parley.run(arguments)
        #expect(outcome.status == 2 && outcome.output.isEmpty)
    }

    @Test("what is no sound, no model or no language is told in a line or two")
    func mistakes() async throws {
        try parley.write("no sound", to: "a.wav")
        try parley.write("no model", to: "ggml-none.bin")
        let runs = [
            ["a.wav"], ["silence.wav", "--model", "ggml-none.bin"], ["silence.wav", "--model", "whisper-huge"],
            ["silence.wav", "--model", "whisper-base", "--offline"],
            ["speech.wav", "--model", "ggml-tiny.bin", "--language", "klingon"],
        ]
        for arguments in runs {
            let outcome = try await parley.run(["transcribe"] + arguments)
            #expect(outcome.status == 1 && outcome.output.isEmpty, "\(arguments)")
            #expect((1...3).contains(outcome.errorLines.count), "\(arguments): \(outcome.errors)")
            #expect(outcome.errorLines.first?.hasPrefix("parley: ") == true)
        }
    }
}

@Suite("The progress of a transcription")
struct TranscribingDisplayTests {
    @Test("the name of a file sends nothing to the terminal, and the line fits into it")
    func line() {
        #expect(TranscribingDisplay.line("a\u{1b}[2Jb\n.wav", "7%", columns: 80) == "a[2Jb .wav: 7%")
        #expect(TranscribingDisplay.line("recording.wav", "100 %", columns: 16) == "recordin: 100 %")
        #expect(TranscribingDisplay.line("録音.wav", "7 %", columns: 9) == "録: 7 %")
        #expect(TranscribingDisplay.line("a.wav", "7 %", columns: 1) == ": 7 %")
    }
}

@Suite("Forms of transcripts")
struct TranscriptFormTests {
    private static let result = Transcription(
        text: "One <two>. Three", language: "en", languageProbability: 0.98765, languageSource: .detected,
        segments: [
            TranscriptionSegment(
                text: "One\n<two>.", range: .milliseconds(0)..<Duration.milliseconds(1500),
                words: [WordTiming(word: "One", range: .zero..<Duration.milliseconds(400), probability: 0.5)],
                averageLogProbability: -0.5),
            TranscriptionSegment(text: "Three", range: .milliseconds(3_599_999)..<Duration.seconds(3_725)),
        ], duration: .seconds(3_726))

    @Test("text has a line for each segment")
    func text() {
        #expect(TranscriptForm.lines(Self.result.segments, text: "") == "One\n<two>.\nThree\n")
        #expect(TranscriptForm.lines([], text: "whole") == "whole\n")
        #expect(TranscriptForm.lines([], text: "") == "")
    }

    @Test("subtitles number and time their segments")
    func subtitles() {
        #expect(
            TranscriptForm.srt.text(Self.result, file: nil, task: .transcribe, words: false) == """
                1
                00:00:00,000 --> 00:00:01,500
                One <two>.

                2
                00:59:59,999 --> 01:02:05,000
                Three


                """)
        #expect(
            TranscriptForm.vtt.text(Self.result, file: nil, task: .transcribe, words: false) == """
                WEBVTT

                00:00:00.000 --> 00:00:01.500
                One &lt;two&gt;.

                00:59:59.999 --> 01:02:05.000
                Three


                """)
    }

    @Test("JSON has the times, and words where they are wanted")
    func json() throws {
        let text = TranscriptForm.json.text(Self.result, file: "a.wav", task: .transcribe, words: true)
        let json = try JSONValue(parsing: text)
        #expect(json["file"] == "a.wav" && json["language_probability"] == 0.9877)
        #expect(json["words"]?.array?.first?["end"] == 0.4)
        #expect(json["segments"]?.array?.last?["start"] == 3599.999)
        let plain = try JSONValue(
            parsing: TranscriptForm.json.text(Self.result, file: nil, task: .transcribe, words: false))
        #expect(plain["words"] == nil && plain["file"] == nil)
    }
}
