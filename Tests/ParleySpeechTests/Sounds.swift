// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAudio
import ParleyTestSupport

import struct ParleyRuntime.SplitMix64

/// Sounds for tests, always the same for the same numbers.
enum Sounds {
    /// Something like speech: syllables of 150 ms with 50 ms between them, of the sound of a voice and of noise.
    static func speech(_ seconds: Double, level: Float = 0.3, seed: UInt64 = 1) -> [Float] {
        var random = SplitMix64(seed: seed)
        let rate = Double(AudioSamples.speechRate)
        return (0..<Int(seconds * rate)).map { index in
            let time = Double(index) / rate
            let place = time.truncatingRemainder(dividingBy: 0.2)
            let shape = place < 0.15 ? Float(sin(.pi * place / 0.15)) : 0
            let voice = Float(sin(2 * .pi * 140 * time) + 0.6 * sin(2 * .pi * 700 * time))
            return level * shape * (0.6 * voice + 0.2 * random.noise()) + 0.0005 * random.noise()
        }
    }

    /// A room in which nobody speaks.
    static func pause(_ seconds: Double, level: Float = 0.0005, seed: UInt64 = 2) -> [Float] {
        var random = SplitMix64(seed: seed)
        return (0..<Int(seconds * Double(AudioSamples.speechRate))).map { _ in level * random.noise() }
    }

    /// A tone.
    static func tone(_ frequency: Double, seconds: Double, level: Float) -> [Float] {
        let rate = Double(AudioSamples.speechRate)
        return (0..<Int(seconds * rate)).map { level * Float(sin(2 * .pi * frequency * Double($0) / rate)) }
    }
}

extension SplitMix64 {
    /// A number between −1 and 1.
    mutating func noise() -> Float { Float(next() >> 40) / Float(1 << 23) - 1 }
}

/// A sound in a file, as the source of a microphone's chunks.
final class ChunkedSound: AudioSource {
    private let directory: TemporaryDirectory
    private let file: AudioFile

    init(_ samples: [Float]) throws {
        directory = try TemporaryDirectory()
        let url = directory.url.appending(path: "sound.wav")
        try WAVSound(samples).data.write(to: url)
        file = try AudioFile(url)
    }

    func chunks() -> AsyncThrowingStream<AudioSamples, any Error> { file.chunks() }
}

/// A WAV file of floats, which are read as they are.
private struct WAVSound {
    let data: Data

    init(_ samples: [Float]) {
        var data = Data("RIFF____WAVEfmt ".utf8)
        func append(_ value: some FixedWidthInteger) {
            withUnsafeBytes(of: value.littleEndian) { data.append(contentsOf: $0) }
        }
        append(UInt32(16))
        append(UInt16(3))
        append(UInt16(1))
        append(UInt32(16_000))
        append(UInt32(64_000))
        append(UInt16(4))
        append(UInt16(32))
        data.append(contentsOf: "data".utf8)
        append(UInt32(samples.count * 4))
        for sample in samples { append(sample.bitPattern) }
        self.data = data
    }
}
