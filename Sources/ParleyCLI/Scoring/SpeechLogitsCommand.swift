// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import ParleyAudio
import ParleyCommandLine
import ParleyJSON
import ParleySystem
import ParleyTensor
import ParleyWhisper

/// `parley speech-logits`: what a speech model gives after tokens that are given, for comparisons by
/// `Benchmarks/speech.py --divergence`.
struct SpeechLogitsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "speech-logits", abstract: "Writes the logits of a speech model after tokens that are given.",
        discussion: """
            Standard input has an object a line: 'file' (a sound of at most 30 seconds), 'tokens' (ids, from the beginning \
            of the text) and 'logits' (the file that is written: a row of little-endian 32-bit floats for each token).
            """, shouldDisplay: false)

    @Argument(help: "The path of the model's file or folder.", completion: .file())
    var model: String

    @Flag(help: "Keep floats as they are, and do not quantise them to 8 bits.")
    var exact = false

    @Flag(help: "Compute the model's whole window, also for short sound.")
    var fullWindow = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The number of threads. (default: one for each core)", valueName: "n"))
    var threads: Int?

    func validate() throws {
        try OptionRange(ThreadCount.range).check(threads, of: "--threads")
    }

    func run() async throws {
        let pool = WorkerPool(lanes: threads ?? ThreadCount.usual, instructionSet: .best)
        let engine = try WhisperEngine(WhisperFile.read(URL(filePath: model)), pool: pool, isExact: exact)
        while let line = readLine() {
            let job = try JSONValue(parsing: line)
            guard let file = job["file"]?.string, let target = job["logits"]?.string,
                let tokens = job["tokens"]?.array?.compactMap({ $0.integer.flatMap { Int32(exactly: $0) } }),
                !tokens.isEmpty
            else { throw CommandError("A line has no 'file', 'tokens' and 'logits'.") }
            let sound = try AudioSamples(contentsOf: URL(filePath: file)).resampled(to: AudioSamples.speechRate)
            let positions = fullWindow ? AudioPositions.all : AudioPositions(samples: sound.samples.count)
            let rows = try engine.logits(tokens, after: sound.samples, positions)
            let output = try OutputFile(path: target)
            // All supported machines are little-endian, so the floats already have the right byte order.
            for row in rows { try row.withUnsafeBufferPointer { try output.write(Data(buffer: $0)) } }
            try output.finish()
        }
    }
}
