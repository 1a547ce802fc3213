// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyTensor
import ParleyTestSupport
import ParleyTesting
import ParleyWhisper
import Testing

/// What `scripts/reference/speech/record_whisper_shapes.py` recorded of CTranslate2 for the shape of a model.
private struct ShapeGolden: Decodable {
    struct Language: Decodable {
        let code: String
        let probability: Float
    }

    let audioLayers: Int
    let textLayers: Int
    let mels: Int
    let vocabulary: Int
    let frames: [Int]
    let spectrum: [[Float]]
    let rows: [Int]
    let states: [[Float]]
    /// What CTranslate2 wrote, with the beginning and without the last token.
    let tokens: [Int32]
    let greedy: [Int]
    /// Logits after all tokens, by their number.
    let logits: [String: Float]
    let language: Language?

    var shape: TinyWhisper.Shape {
        TinyWhisper.Shape(
            vocabularySize: vocabulary, audioLayers: audioLayers, textLayers: textLayers, mels: mels)
    }

    static let recorded: [String: ShapeGolden] = {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let data = try? Data(contentsOf: folder.appending(path: "Goldens/whisper-shapes.json"))
        return data.flatMap { try? JSONDecoder().decode([String: ShapeGolden].self, from: $0) } ?? [:]
    }()
}

@Suite("Models in the shapes of the large and distilled ones")
struct WhisperShapesTests {
    private static let names = ["large-v3", "turbo", "distil-large-v3", "distil-large-v2", "distil-small.en"]

    @Test("Spectrum, states, language and tokens are CTranslate2's, from each kind of file", arguments: names)
    func reference(name: String) throws {
        let golden = try #require(ShapeGolden.recorded[name])
        let spectrum = try spectrum(bands: golden.mels)
        for (frame, expected) in zip(golden.frames, golden.spectrum) {
            #expect(largestDifference(spectrum[frame], expected) < 1e-4, "frame \(frame)")
        }
        let model = TinyWhisper(golden.shape)
        let folder = try TemporaryDirectory()
        let (ggml, ct2, hf) = (
            folder.url.appending(path: "ggml.bin"), folder.url.appending(path: "ct2"), folder.url.appending(path: "hf")
        )
        try Data(model.ggml(.f32)).write(to: ggml)
        try model.writeCTranslate2(to: ct2, .f32)
        try model.writeTransformers(to: hf, .f32)
        for file in [ggml, ct2, hf] {
            try check(TinyWhisperFixture.engine(WhisperFile.read(file)), golden)
        }
    }

    private func check(_ engine: WhisperEngine, _ golden: ShapeGolden) throws {
        let states = try engine.states(TinyWhisperFixture.sound, .all)
        for (row, expected) in zip(golden.rows, golden.states) {
            #expect(largestDifference(states[row], expected) < 2e-3, "row \(row)")
        }
        let logits = try engine.logits(golden.tokens, after: TinyWhisperFixture.sound, .all)
        for (token, expected) in golden.logits {
            #expect(abs(try #require(logits.last)[try #require(Int(token))] - expected) < 2e-3, "token \(token)")
        }
        let written = logits.suffix(golden.greedy.count).map { row in row.indices.max { row[$0] < row[$1] } }
        #expect(written == golden.greedy)

        let tokens = WhisperTokens(vocabularySize: golden.vocabulary)
        #expect(golden.tokens.first == tokens.start && golden.tokens.contains(tokens.noTimestamps))
        guard let language = golden.language else { return #expect(!tokens.isMultilingual) }
        #expect(tokens.languages[2] == "de")
        #expect(golden.tokens.starts(with: [tokens.start, tokens.firstLanguage + 2, tokens.transcribe]))
        let row = try #require(try engine.logits([tokens.start], after: TinyWhisperFixture.sound, .all).first)
        let likely = row[Int(tokens.firstLanguage)...].prefix(tokens.languageCount).map(exp)
        let likeliest = try #require(likely.indices.max { likely[$0] < likely[$1] })
        #expect(tokens.languages[likeliest] == language.code)
        #expect(abs(likely[likeliest] / likely.reduce(0, +) - language.probability) < 1e-3)
    }

    private func spectrum(bands: Int) throws -> [[Float]] {
        let buffer = try AlignedBuffer(byteCount: 3_000 * bands * MemoryLayout<Float>.stride)
        let rows = FloatRows(pointer: buffer.floats, count: 3_000, width: bands)
        let spectrum = try MelSpectrum(bands: bands, pool: WorkerPool(lanes: 2))
        TinyWhisperFixture.sound.withUnsafeBufferPointer { spectrum.run($0, into: rows) }
        return withExtendedLifetime(buffer) {
            (0..<3_000).map { Array(UnsafeBufferPointer(start: rows.row($0), count: bands)) }
        }
    }
}
