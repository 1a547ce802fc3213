// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAudio
import ParleyRuntime

/// Almost valid WAV files. What is read has no more samples than the file has bytes, all of them are numbers, and the
/// file is the same read in pieces.
struct SoundFuzz: FuzzSubject {
    static let name = "sound"

    private static let pieces = ["RIFF", "RF64", "BW64", "WAVE", "fmt ", "data", "ds64", "LIST"].map { Array($0.utf8) }

    func run(_ random: inout SplitMix64) throws {
        var bytes = seed(&random)
        if !random.oneIn(10) { bytes = random.mutated(bytes, changes: 6, with: Self.pieces) }
        let data = Data(bytes)
        guard let audio = try? AudioSamples(wav: data) else { return }
        guard audio.samples.count <= bytes.count, audio.samples.allSatisfy({ abs($0) <= 1000 }) else {
            throw FuzzFailure("\(bytes.count) bytes gave \(audio.samples.count) samples, or wrong ones.")
        }
        var decoder = try WAVDecoder(SoundBytes(data))
        var samples: [Float] = []
        while case let piece = try decoder.read(atMost: random.int(1...100)), !piece.isEmpty { samples += piece }
        guard samples == audio.samples else { throw FuzzFailure("Read in pieces, the samples are others.") }
        if audio.samples.count < 2000 {
            let rate = random.pick([8_000, 16_000, 44_100])
            let other = audio.resampled(to: rate)
            let expected = (audio.samples.count * rate + audio.sampleRate - 1) / audio.sampleRate
            guard other.samples.count == expected, other.samples.allSatisfy(\.isFinite) else {
                throw FuzzFailure("\(audio.samples.count) samples became \(other.samples.count), not \(expected).")
            }
        }
    }

    /// A file with a header of any form and of numbers that are mostly right.
    private func seed(_ random: inout SplitMix64) -> [UInt8] {
        let isLarge = random.oneIn(4)
        let isExtensible = random.oneIn(3)
        let (tag, bits): (UInt64, UInt64) = random.pick([(1, 8), (1, 16), (1, 24), (1, 32), (3, 32), (3, 64)])
        let channels = UInt64(random.int(1...3))
        let rate = random.oneIn(8) ? random.hostileInteger() : random.pick([100, 8_000, 16_000, 44_100, 1_000_000])
        let count = random.int(0...600)
        var bytes: [UInt8] = []
        func append(_ value: UInt64, _ width: Int) {
            bytes += (0..<width).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
        }
        bytes += Array((isLarge ? random.pick(["RF64", "BW64"]) : "RIFF").utf8)
        append(random.next(), 4)
        bytes += Array("WAVE".utf8)
        if isLarge {
            bytes += Array("ds64".utf8)
            append(24, 4)
            append(0, 8)
            append(random.oneIn(3) ? random.hostileInteger() : UInt64(count), 8)
            append(0, 8)
        }
        bytes += Array("fmt ".utf8)
        append(isExtensible ? 40 : 16, 4)
        append(isExtensible ? 0xFFFE : tag, 2)
        append(channels, 2)
        append(rate, 4)
        append(0, 4)
        append(bits / 8 * channels, 2)
        append(bits, 2)
        if isExtensible {
            append(22, 2)
            append(bits, 2)
            append(0, 4)
            append(tag, 2)
            append(0, 14)
        }
        bytes += Array("data".utf8)
        append(isLarge ? 0xFFFF_FFFF : random.oneIn(4) ? random.hostileInteger() : UInt64(count), 4)
        bytes += (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        return bytes
    }
}
