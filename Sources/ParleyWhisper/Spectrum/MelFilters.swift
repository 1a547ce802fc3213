// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The triangular filters that sum a spectrum to bands of equal width to the ear, with unit area (Slaney's, as librosa
/// has them).
enum MelFilters {
    /// The filters for sound of 16 kHz, `[bands][bins]`.
    static func weights(bands: Int, bins: Int) -> [Float] {
        let sampleRate = 16_000.0
        let highest = 15 + log(sampleRate / 2 / 1000) * 27 / log(6.4)
        let edges = (0..<bands + 2).map { hertz(highest * Double($0) / Double(bands + 1)) }
        var weights: [Float] = []
        weights.reserveCapacity(bands * bins)
        for band in 0..<bands {
            let (low, middle, high) = (edges[band], edges[band + 1], edges[band + 2])
            for bin in 0..<bins {
                let frequency = sampleRate / 2 * Double(bin) / Double(bins - 1)
                let value = min((frequency - low) / (middle - low), (high - frequency) / (high - middle))
                weights.append(Float(max(0, value) * 2 / (high - low)))
            }
        }
        return weights
    }

    private static func hertz(_ mel: Double) -> Double {
        mel >= 15 ? 1000 * exp((mel - 15) * log(6.4) / 27) : mel * 200 / 3
    }
}
