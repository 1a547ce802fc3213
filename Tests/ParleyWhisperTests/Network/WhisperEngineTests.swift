// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyModelFile
import ParleyTensor
import ParleyTestSupport
import ParleyTesting
import ParleyWhisper
import Testing

@Suite struct WhisperEngineTests {
    private static let sound = TinyWhisperFixture.sound
    private static let thinned = AudioPositions(samples: sound.count)

    private func check(
        _ engine: WhisperEngine, _ positions: AudioPositions, _ golden: TinyWhisperGolden.Run, within bound: Float
    ) throws {
        let states = try engine.states(Self.sound, positions)
        #expect(states.count == positions.count)
        for (row, expected) in zip(golden.rows, golden.states) {
            #expect(largestDifference(states[row], expected) < bound, "row \(row)")
        }
        let logits = try #require(try engine.logits(golden.tokens, after: Self.sound, positions).last)
        for (token, expected) in golden.logits {
            #expect(abs(logits[try #require(Int(token))] - expected) < bound, "token \(token)")
        }
    }

    @Test("States and logits of exact weights are the reference's, with all positions and with thinned silence")
    func reference() throws {
        let golden = try #require(TinyWhisperGolden.recorded)
        let engine = try TinyWhisperFixture.engine(TinyWhisperFixture.file(.f32))
        try check(engine, .all, golden.full, within: 2e-3)
        try check(engine, Self.thinned, golden.thinned, within: 2e-3)
    }

    @Test(
        "The most probable tokens are the reference's, whatever the form of floats",
        arguments: [.f32, .f16] as [TinyWhisper.Form])
    func greedy(form: TinyWhisper.Form) throws {
        let engine = try TinyWhisperFixture.engine(TinyWhisperFixture.file(form))
        let golden = try #require(TinyWhisperGolden.recorded)
        for (run, positions) in [(golden.full, AudioPositions.all), (golden.thinned, Self.thinned)] {
            let logits = try engine.logits(run.tokens, after: Self.sound, positions)
            for (index, token) in run.tokens.enumerated().dropFirst(2) {
                let text = logits[index - 1][..<50_256]
                #expect(text.indices.max { text[$0] < text[$1] } == Int(token))
            }
        }
    }

    @Test("Quantised weights come near", arguments: TinyWhisper.Form.allCases)
    func quantized(form: TinyWhisper.Form) throws {
        let golden = try #require(TinyWhisperGolden.recorded)
        let folder = try TemporaryDirectory()
        if form == .int8 { try TinyWhisperFixture.model.writeCTranslate2(to: folder.url, form) }
        let file = try form == .int8 ? WhisperFile.read(folder.url) : TinyWhisperFixture.file(form)
        try check(TinyWhisperFixture.engine(file, isExact: false), .all, golden.full, within: 0.12)
    }

    @Test("All kinds of files give the same logits", arguments: [.f32, .f16] as [TinyWhisper.Form])
    func formats(form: TinyWhisper.Form) throws {
        let folder = try TemporaryDirectory()
        let names = ["ct2", "hf", "split"].map { folder.url.appending(path: $0) }
        try TinyWhisperFixture.model.writeCTranslate2(to: names[0], form)
        try TinyWhisperFixture.model.writeTransformers(to: names[1], form)
        try TinyWhisperFixture.model.writeTransformers(to: names[2], form, isSplit: true, vocabulary: "vocab.json")
        let tokens: [Int32] = [50_257, 50_362, 7, 1_000]
        func logits(_ file: WhisperFile) throws -> [[Float]] {
            let engine = try TinyWhisperFixture.engine(file)
            #expect(try engine.pieces.tokens("hello") == TextPieces(TinyWhisper.pieces).tokens("hello"))
            return try engine.logits(tokens, after: Self.sound, Self.thinned)
        }
        let expected = try logits(TinyWhisperFixture.file(form))
        for name in names { #expect(try logits(WhisperFile.read(name)) == expected, "\(name.lastPathComponent)") }
        // The file with the weights stands for its folder.
        let weights = names[1].appending(path: "model.safetensors")
        #expect(try logits(WhisperFile.read(weights)) == expected)
    }

    @Test("Neither threads nor instruction sets change a bit", arguments: InstructionSet.allCases.filter(\.isAvailable))
    func invariance(set: InstructionSet) throws {
        let file = try TinyWhisperFixture.file(.f16)
        let tokens: [Int32] = [50_257, 50_362, 7, 1_000]
        let expected = try TinyWhisperFixture.engine(file, isExact: false, lanes: 1, instructionSet: .generic)
            .logits(tokens, after: Self.sound, Self.thinned)
        for lanes in [1, 3] {
            let engine = try TinyWhisperFixture.engine(file, isExact: false, lanes: lanes, instructionSet: set)
            #expect(try engine.logits(tokens, after: Self.sound, Self.thinned) == expected)
        }
    }
}
