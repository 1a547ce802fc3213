// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAudio
import ParleyConversation
import ParleyJSON
import ParleyServer
import ParleySpeech
import ParleyTesting
import ParleyWeb
import Testing

/// Hears the same words in every sound.
private struct SameWords: SpeechRecognizer {
    let languages = ["en"]

    func detectLanguage(of audio: AudioSamples) async throws -> (language: String, probability: Double) { ("en", 1) }

    func recognize(_ request: RecognitionRequest) async throws -> Recognition {
        Recognition(
            text: "Call Anna", segments: [TranscriptionSegment(text: "Call Anna", range: request.speech)], tokens: [1],
            consumed: request.audio.duration, language: "en")
    }
}

@Suite("What is dictated in the page", .timeLimit(.minutes(15)))
struct DictationTests {
    private static let speech = ServedSpeech(id: "whisper-tiny") { SpeechModel(recognizer: SameWords()) }

    private static func sound(_ seconds: Double, isSpeech: Bool = true) -> [UInt8] {
        let samples = (0..<Int(seconds * 16_000)).map { index -> Float in
            let syllable = isSpeech && index > 8_000 && index % 3_200 < 2_400
            return (syllable ? 0.3 : 0.0003) * Float(index * 7_919 % 1_000 - 500) / 500
        }
        return Array(AudioSamples(samples: samples).wav())
    }

    @Test("A recording becomes its words, one in which nobody speaks becomes none; the page knows the model.")
    func transcribes() async throws {
        try await PageTrial.with(["Hello."], speech: Self.speech) { trial in
            let state = try await trial.read("state")
            let said = try await trial.transcribe(Self.sound(3))
            let nothing = try await trial.transcribe(Self.sound(3, isSpeech: false))
            #expect(state["speech"] == "whisper-tiny" && said["text"] == "Call Anna" && nothing["text"] == "")
        }
    }

    @Test("What is no sound, or too long for one message, is refused; so is all without a model, with the remedy.")
    func refuses() async throws {
        try await PageTrial.with(["Hello."], speech: Self.speech) { trial in
            let damaged = await #expect(throws: ServerError.self) { try await trial.transcribe(Array("no sound".utf8)) }
            #expect(damaged?.status == 400)
            let long = await #expect(throws: ServerError.self) { try await trial.transcribe(Self.sound(40)) }
            #expect(long?.status == 413)
        }
        try await PageTrial.with(["Hello."]) { trial in
            let state = try await trial.read("state")
            #expect(state["speech"] == JSONValue.null)
            let none = await #expect(throws: ServerError.self) { try await trial.transcribe(Self.sound(1)) }
            #expect(none?.status == 404 && none.map { "\($0)".contains("--speech") } == true)
        }
    }
}
