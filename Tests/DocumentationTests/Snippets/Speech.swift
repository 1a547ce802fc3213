// SPDX-License-Identifier: Apache-2.0

import Foundation
import Parley
import Synchronization
import Testing

/// The examples of Speech.md, run over a recogniser that says what it is told.
@Suite("Speech of the documentation")
struct Speech {
    /// Writes the same words down for all that is spoken.
    private struct Parrot: SpeechRecognizer {
        let languages = ["de", "en"]

        func detectLanguage(of audio: AudioSamples) async throws -> (language: String, probability: Double) {
            ("en", 1)
        }

        func recognize(_ request: RecognitionRequest) async throws -> Recognition {
            let segment = TranscriptionSegment(text: "Good morning.", range: .zero..<request.audio.duration)
            return Recognition(
                text: segment.text, segments: [segment], consumed: request.audio.duration, language: request.language)
        }
    }

    func write(_ data: Data, hearing microphone: Microphone, show: (String, _ grey: Bool) -> Void) async throws {
        let model = try await SpeechModel.load("whisper-base")  // or a path, hf:OWNER/REPO, hf:OWNER/REPO:ggml-NAME.bin
        let whole = try await model.transcribe(AudioSamples(wav: data), options: .init(language: "de"))
        for segment in whole.segments { show(segment.text, false) }
        for try await result in model.transcriptions(of: microphone.chunks(), options: .live) {
            show(result.text, !result.isFinal)
        }
    }

    func subtitles(of recording: URL, with model: SpeechModel) async throws -> String {
        let file = try AudioFile(recording)
        var options = TranscriptionOptions(task: .translate)
        options.prompt = "Names: Radia Perlman, Barbara Liskov."
        return try await model.transcribe(file, options: options).vtt
    }

    /// Half a second of silence, a second of a loud tone that comes and goes as speech does, and silence again.
    private static var sound: AudioSamples {
        let samples = (0..<32_000).map { index -> Float in
            (8_000..<24_000).contains(index) ? Float(sin(Double(index) * 0.3) * abs(sin(Double(index) * 0.001))) : 0
        }
        return AudioSamples(samples: samples)
    }

    @Test("A recording becomes subtitles") func recorded() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).wav")
        try Self.sound.wav().write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let text = try await subtitles(of: file, with: SpeechModel(recognizer: Parrot()))
        #expect(text.hasPrefix("WEBVTT\n\n00:00:00.") && text.contains("Good morning."))
    }

    @Test("Sound in pieces becomes final results") func live() async throws {
        let model = SpeechModel(recognizer: Parrot())
        let (chunks, sound) = AsyncThrowingStream.makeStream(of: AudioSamples.self)
        sound.yield(Self.sound)
        sound.finish()
        var finals: [String] = []
        for try await result in model.transcriptions(of: chunks, options: .live) where result.isFinal {
            finals.append(result.text)
        }
        #expect(finals == ["Good morning."])
    }
}
