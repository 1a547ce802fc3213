// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAudio
import ParleyRuntime
import ParleySpeech
import ParleyTestSupport
import ParleyTesting
import ParleyWhisper
import Testing

/// Silero's network, which `scripts/fetch-references` brings, beside what its own package says.
@Suite(.enabled(if: References.has("silero/.complete") && References.has("whisper/.complete"), References.hint))
struct SileroVoiceActivityTests {
    private static let files = ["silero_vad_16k.safetensors", "ggml-silero.bin"]

    private func activity(_ file: String) throws -> SileroVoiceActivity {
        SileroVoiceActivity(try SileroNetwork(contentsOf: References.url("silero/\(file)")))
    }

    private func recording() throws -> [Float] {
        try AudioSamples(contentsOf: References.url("whisper/jfk.wav")).samples
    }

    /// What `scripts/reference/speech/record_silero.py` recorded: for each file with its own weights, and of the package's
    /// own network, whose convolutions whisper.cpp rounds to 16 bits.
    @Test(
        "The probabilities of a recording are those of the reference",
        arguments: [(files[0], files[0], 1e-3), (files[1], files[1], 1e-3), (files[1], "onnx", 4e-3)]
            as [(String, String, Float)])
    func reference(file: String, recorded: String, bound: Float) throws {
        let golden = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Goldens/silero.json")
        let all = try JSONDecoder().decode([String: [Float]].self, from: Data(contentsOf: golden))
        let expected = try #require(all[recorded])
        var activity = try activity(file)
        let probabilities = activity.append(try recording()) + activity.finish()
        #expect(expected.count == 344 && expected.contains { $0 > 0.9 } && expected.contains { $0 < 0.1 })
        #expect(largestDifference(probabilities, expected) < bound)
    }

    @Test("Any cutting of the sound gives the same probabilities", arguments: [1, 480, 512, 7_777])
    func cutting(length: Int) throws {
        let samples = try Array(recording().prefix(20_000))
        var (whole, pieces) = (try activity(Self.files[0]), try activity(Self.files[0]))
        var probabilities: [Float] = []
        for start in stride(from: 0, to: samples.count, by: length) {
            probabilities += pieces.append(samples[start..<min(start + length, samples.count)])
        }
        #expect(probabilities + pieces.finish() == whole.append(samples) + whole.finish())
        #expect(whole.finish().isEmpty)
    }

    @Test("Where nobody speaks, no stretch of speech is found")
    func nobody() throws {
        for (name, samples) in SoundsOfNobody.all {
            var (activity, planner) = (try activity(Self.files[0]), StretchPlanner(.windows))
            for probability in activity.append(samples) + activity.finish() {
                #expect(planner.append(probability) == nil, "\(name)")
            }
            #expect(planner.finish(at: samples.count) == nil, "\(name)")
        }
    }

    @Test("Truncated, changed and other files are refused or load, and nothing crashes", arguments: files)
    func damaged(file: String) throws {
        let folder = try TemporaryDirectory()
        let url = folder.url.appending(path: file)
        let whole = try Data(contentsOf: References.url("silero/\(file)"))
        var random = SplitMix64(seed: 9)
        for end in [0, 3, 4, 30, 90] + (0..<12).map({ _ in Int.random(in: 0..<whole.count, using: &random) }) {
            try whole.prefix(end).write(to: url)
            let error = #expect(throws: SpeechError.self) { try SileroNetwork(contentsOf: url) }
            #expect(error?.code == .unsupportedModel, "\(end) bytes")
        }
        for _ in 0..<32 {
            var bytes = whole
            bytes[Int.random(in: 0..<1_200, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
            try bytes.write(to: url)
            do {
                var activity = SileroVoiceActivity(try SileroNetwork(contentsOf: url))
                _ = activity.append([Float](repeating: 0.1, count: 1_024))
            } catch let error as SpeechError {
                #expect(error.code == .unsupportedModel)
            }
        }
    }
}
