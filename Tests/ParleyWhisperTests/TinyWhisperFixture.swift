// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyModelFile
import ParleyRuntime
import ParleyTensor
import ParleyTesting
import ParleyWhisper

/// What `scripts/reference/speech/record_tiny_whisper.py` recorded of the tiny random model.
struct TinyWhisperGolden: Decodable {
    /// One way of keeping positions of the window.
    struct Run: Decodable {
        let rows: [Int]
        let states: [[Float]]
        let tokens: [Int32]
        /// Logits after all tokens, by their number.
        let logits: [String: Float]
    }

    let samples: [Float]
    let frames: [Int]
    let spectrum: [[Float]]
    let full: Run
    let thinned: Run

    static let recorded: TinyWhisperGolden? = {
        let url = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Goldens/tiny-whisper.json")
        return (try? Data(contentsOf: url)).flatMap { try? JSONDecoder().decode(TinyWhisperGolden.self, from: $0) }
    }()
}

/// The tiny random model, and the sound that was recorded with it.
enum TinyWhisperFixture {
    static let model = TinyWhisper()

    /// Two tones that rise and fall over noise.
    static let sound: [Float] = {
        let count = 27_200
        var random = SplitMix64(seed: 7)
        return (0..<count).map { index in
            let time = Double(index) / 16_000
            let tones = 0.3 * sin(2 * .pi * 220 * time * (1 + time)) + 0.1 * sin(2 * .pi * 1700 * time)
            return Float(tones * sin(.pi * Double(index) / Double(count))) + 0.01 * random.nextFloat()
        }
    }()

    static func file(_ form: TinyWhisper.Form) throws -> WhisperFile {
        try WhisperFile.read(FileBytes(model.ggml(form)[...], name: "tiny.bin"), folder: URL(filePath: "/"))
    }

    static func engine(
        _ file: WhisperFile, isExact: Bool = true, lanes: Int = 2, instructionSet: InstructionSet = .best
    ) throws -> WhisperEngine {
        try WhisperEngine(file, pool: WorkerPool(lanes: lanes, instructionSet: instructionSet), isExact: isExact)
    }
}

/// The largest difference between numbers.
func largestDifference(_ first: [Float], _ second: [Float]) -> Float {
    first.count == second.count ? zip(first, second).map { abs($0 - $1) }.max() ?? 0 : .infinity
}
