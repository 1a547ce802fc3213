// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAudio
import ParleySpeech
import ParleyTensor
import ParleyTestSupport
import ParleyWhisper
import Testing

/// The real default model, which `scripts/fetch-references` brings, on a recording that everyone has.
@Suite(.enabled(if: References.has("whisper/.complete"), References.hint))
struct WhisperBaseTests {
    /// The opening of the address of 1961, without marks.
    private static let words =
        "and so my fellow americans ask not what your country can do for you ask what you can do for your country"
    private static let folder = References.url("whisper/base")

    private let recording: AudioSamples

    init() throws {
        recording = try AudioSamples(contentsOf: References.url("whisper/jfk.wav"))
    }

    private func words(_ text: String) -> String {
        text.lowercased().filter { $0.isLetter || $0 == " " }
    }

    @Test("The recording's words are right, with silence behind it thinned and whole, and its language is found")
    func recorded() async throws {
        let model = try await WhisperModel.load(Self.folder, threads: 2)
        let language = try await model.detectLanguage(of: recording)
        #expect(language.language == "en" && language.probability > 0.9)
        for context in [AudioContext.automatic, .full] {
            var request = RecognitionRequest(audio: recording, language: "en")
            request.audioContext = context
            let result = try await model.recognize(request)
            #expect(words(result.text) == Self.words)
            #expect(result.usedFullContext == (context == .full) && result.temperature == 0)
        }
    }

    @Test("Any cutting of the recording gives the file's finals", arguments: [480, 1_600, 7_777])
    func cutting(length: Int) async throws {
        let recognizer = try await WhisperModel.load(Self.folder, threads: 2)
        let model = SpeechModel(recognizer: recognizer)
        var options = TranscriptionOptions(language: "en")
        options.endpointing = Endpointing()
        let whole = try await model.transcribe(recording, options: options)
        #expect(words(whole.text) == Self.words)
        let samples = recording.samples
        let chunks = AsyncThrowingStream<AudioSamples, any Error> { continuation in
            for start in stride(from: 0, to: samples.count, by: length) {
                continuation.yield(AudioSamples(samples: Array(samples[start..<min(start + length, samples.count)])))
            }
            continuation.finish()
        }
        var finals: [String] = []
        for try await result in model.transcriptions(of: chunks, options: options) where result.isFinal {
            finals.append(result.text)
        }
        #expect(finals.joined(separator: " ") == whole.text)
    }

    @Test("Silence, noise, hum and music give nothing, whether a language is given or not")
    func nobody() async throws {
        let model = SpeechModel(recognizer: try await WhisperModel.load(Self.folder, threads: 2))
        for (name, samples) in SoundsOfNobody.all {
            for language in [nil, "en"] {
                let options = TranscriptionOptions(language: language)
                let result = try await model.transcribe(AudioSamples(samples: samples), options: options)
                #expect(result.text.isEmpty && result.segments.isEmpty, "\(name)")
            }
        }
    }

    /// The mean divergence of the probabilities after each token of the recording from those of exact weights and all
    /// positions, in natural units.
    private func divergence(of engine: WhisperEngine, _ positions: AudioPositions, from exact: [[Float]]) throws
        -> Double
    {
        let rows = try engine.logits(Self.tokens, after: recording.samples, positions)
        let each = zip(exact, rows).dropFirst(3).map { exact, row in
            let (p, q) = (Self.logProbabilities(exact), Self.logProbabilities(row))
            return zip(p, q).reduce(0) { $0 + Foundation.exp($1.0) * ($1.0 - $1.1) }
        }
        return each.reduce(0, +) / Double(each.count)
    }

    private static func logProbabilities(_ logits: [Float]) -> [Double] {
        let highest = Double(logits.max() ?? 0)
        let total = log(logits.reduce(0) { $0 + Foundation.exp(Double($1) - highest) }) + highest
        return logits.map { Double($0) - total }
    }

    /// Start, English, transcribe, no time stamps, and " And so my fellow Americans".
    private static let tokens: [Int32] = [50_258, 50_259, 50_359, 50_363, 400, 370, 452, 7177, 6280]

    @Test("Quantised weights and thinned silence hardly change what the exact model says")
    func divergence() throws {
        let file = try WhisperFile.read(Self.folder)
        let pool = WorkerPool(lanes: 2, instructionSet: .best)
        let thinned = AudioPositions(samples: recording.samples.count)
        let exact = try WhisperEngine(file, pool: pool, isExact: true)
        let expected = try exact.logits(Self.tokens, after: recording.samples, .all)
        // Without the window's last position, or with every eighth of the silence, it is above 0.001.
        #expect(try divergence(of: exact, thinned, from: expected) < 0.0002)
        let quantized = try WhisperEngine(file, pool: pool, isExact: false)
        // The form of 8 bits that faster-whisper has, with one scale a row, has 0.01 and more.
        let (whole, short) = try (
            divergence(of: quantized, .all, from: expected), divergence(of: quantized, thinned, from: expected)
        )
        #expect(whole < 0.001 && short < 0.0015, "\(whole), \(short)")
    }
}
