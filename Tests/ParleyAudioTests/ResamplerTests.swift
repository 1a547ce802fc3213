// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAudio
import Testing

import struct ParleyRuntime.SplitMix64

/// What soxr made of the same sounds; scripts/reference/speech/record_resampling.py wrote it.
private struct ResamplingGolden: Decodable, Sendable, CustomTestStringConvertible {
    var from: Int
    var to: Int
    var tones: [Double]
    var level: Double
    var first: Int
    var step: Int
    var samples: [Double]

    var testDescription: String { "\(from) to \(to)" }

    static let all: [ResamplingGolden] = {
        struct File: Decodable { var cases: [ResamplingGolden] }
        let url = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Goldens/resampling.json")
        return (try? JSONDecoder().decode(File.self, from: Data(contentsOf: url)))?.cases ?? []
    }()
}

@Suite("Other sample rates")
struct ResamplerTests {
    private static func tone(_ frequency: Double, rate: Int, count: Int) -> [Float] {
        (0..<count).map { Float(sin(2 * .pi * frequency * Double($0) / Double(rate))) }
    }

    private static func level(_ samples: some Collection<Float>) -> Double {
        (samples.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(max(1, samples.count))).squareRoot()
    }

    @Test("twelve pairs of rates are recorded")
    func hasGoldens() {
        #expect(ResamplingGolden.all.count == 12)
        #expect(ResamplingGolden.all.allSatisfy { $0.samples.count > 70 })
    }

    @Test("what both rates represent stays as it was to 90 dB, and is as soxr has it", arguments: ResamplingGolden.all)
    fileprivate func matchesReference(golden: ResamplingGolden) {
        func exact(_ time: Double) -> Float {
            golden.tones.enumerated().reduce(Float(0)) { total, tone in
                total + Float(golden.level * sin(2 * .pi * tone.element * time + Double(tone.offset)))
            }
        }
        let sound = (0..<golden.from).map { exact(Double($0) / Double(golden.from)) }
        let result = AudioSamples(samples: sound, sampleRate: golden.from).resampled(to: golden.to)
        #expect(result.samples.count == golden.to)
        let places = golden.samples.indices.map { golden.first + $0 * golden.step }
        let right = places.map { exact(Double($0) / Double(golden.to)) }
        let ours = places.map { result.samples[$0] }
        let theirs = golden.samples.map { Float($0) }
        func distance(_ left: [Float], _ right: [Float]) -> Double {
            Self.level(zip(left, right).map { $0 - $1 }) / Self.level(right)
        }
        let error = distance(ours, right)
        #expect(error < 3.2e-5, "\(20 * log10(error)) dB")
        // soxr itself is up to 75 dB from the exact tones where the ratio of the rates has large parts.
        #expect(distance(ours, theirs) < distance(theirs, right) + 3.2e-5)
    }

    @Test("what the new rate cannot represent is removed", arguments: [8_500.0, 9_000, 12_000, 15_999, 20_000])
    func removesAliases(frequency: Double) {
        let sound = AudioSamples(samples: Self.tone(frequency, rate: 44_100, count: 44_100), sampleRate: 44_100)
        let left = Self.level(sound.resampled(to: 16_000).samples[1000..<15_000])
        #expect(left < 1e-4, "\(20 * log10(left)) dB")
    }

    @Test("silence stays silence, and a constant a constant")
    func keepsConstants() {
        for value: Float in [0, 0.5] {
            let sound = AudioSamples(samples: [Float](repeating: value, count: 8000), sampleRate: 48_000)
            #expect(sound.resampled(to: 16_000).samples[300..<2300].allSatisfy { abs($0 - value) < 1e-5 })
        }
    }

    @Test("no cutting into pieces changes a sample", arguments: [(44_100, 16_000), (8_000, 16_000), (44_099, 16_001)])
    func ignoresPieces(old: Int, new: Int) {
        var random = SplitMix64(seed: 8)
        let sound = (0..<30_000).map { _ in Float.random(in: -1...1, using: &random) }
        let whole = AudioSamples(samples: sound, sampleRate: old).resampled(to: new).samples
        #expect(whole.count == (sound.count * new + old - 1) / old)
        for longest in [1, 7, 1000, 12_000] {
            var resampler = Resampler(from: old, to: new)
            var result: [Float] = []
            var rest = sound[...]
            while !rest.isEmpty {
                let count = Int.random(in: 1...longest, using: &random)
                result += resampler.resample(rest.prefix(count))
                rest = rest.dropFirst(count)
            }
            result += resampler.finish()
            #expect(result == whole)
        }
    }

    @Test("sounds shorter than the window, and none, have their length", arguments: [0, 1, 2, 50])
    func resamplesShortSounds(count: Int) {
        let sound = AudioSamples(samples: [Float](repeating: 0.1, count: count), sampleRate: 44_100)
        #expect(sound.resampled(to: 16_000).samples.count == (count * 16_000 + 44_099) / 44_100)
        #expect(sound.resampled(to: 96_000).samples.count == (count * 96_000 + 44_099) / 44_100)
    }

    @Test("the lowest and the highest rate that files have are resampled", arguments: [100, 1_000_000])
    func resamplesAnyRate(rate: Int) {
        let sound = AudioSamples(samples: [Float](repeating: 0.25, count: rate / 5), sampleRate: rate)
        let result = sound.resampled(to: 16_000)
        #expect(result.samples.count == 3200)
        #expect(abs(result.samples[1600] - 0.25) < 1e-3)
    }

    @Test("where a new sample lies behind all old ones, there are those that begin within them")
    func resamplesAbsurdRate() {
        let sound = AudioSamples(samples: [Float](repeating: 0.25, count: 200_000), sampleRate: 1_000_000_000)
        #expect(sound.resampled(to: 16_000).samples.count == 4)
    }

    @Test("times are numbers of samples and back")
    func countsTimes() {
        for count in [0, 1, 441, 123_457, 1 << 40] {
            #expect(Duration.seconds(samples: count, rate: 44_100).samples(at: 44_100) == count)
        }
        #expect(Duration.seconds(Int64.max).samples(at: 16_000) == .max)
    }
}
