// SPDX-License-Identifier: Apache-2.0

import ParleyAudio

/// Brings sound that arrives in pieces to the rate of recognisers, also where its own rate changes on the way.
struct SpeechRate: Sendable {
    private var resampler: Resampler?
    private var rate = AudioSamples.speechRate

    mutating func convert(_ piece: AudioSamples) -> [Float] {
        var result: [Float] = []
        if piece.sampleRate != rate {
            result = finish()
            rate = piece.sampleRate
            resampler = rate == AudioSamples.speechRate ? nil : Resampler(from: rate, to: AudioSamples.speechRate)
        }
        let samples = piece.samples.map(\.asSample)
        return result + (resampler?.resample(samples) ?? samples)
    }

    mutating func finish() -> [Float] {
        defer { resampler = nil }
        return resampler?.finish() ?? []
    }
}
