// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyTensor
import Testing

@Suite("Rotary embedding")
struct RotaryEmbeddingTests {
    @Test("frequencies fall from one by the base", arguments: [10_000.0, 500_000, 1_000_000])
    func hasFrequencies(base: Double) {
        let rotation = RotaryEmbedding(width: 64, base: base, pairing: .halves)
        #expect(rotation.width == 64)
        #expect(rotation.frequencies[0] == 1)
        for (pair, frequency) in rotation.frequencies.enumerated() {
            #expect(abs(frequency * exp(log(base) * Double(pair) / 32) - 1) < 1e-12)
        }
    }

    @Test("scale multiplies and factors divide the frequencies")
    func scales() {
        let plain = RotaryEmbedding(width: 8, base: 100, pairing: .adjacent)
        let scaled = RotaryEmbedding(width: 8, base: 100, scale: 0.25, factors: [1, 2, 4, 8], pairing: .adjacent)
        for (pair, factor) in [1.0, 2, 4, 8].enumerated() {
            #expect(abs(scaled.frequencies[pair] - plain.frequencies[pair] / 4 / factor) < 1e-15)
        }
    }

    @Test("angles are those of the formula at each row's own position", arguments: [1, 2, 5])
    func computesAngles(lanes: Int) throws {
        let pool = WorkerPool(lanes: lanes)
        let rotation = RotaryEmbedding(width: 48, base: 10_000, pairing: .halves, magnitude: 1.25)
        let sequences = [
            SequenceRows(rows: 0..<3, position: 0), SequenceRows(rows: 3..<4, position: 16_000_000),
            SequenceRows(rows: 4..<11, position: 8_190),
        ]
        let buffer = try AlignedBuffer(zeroedFloats: 11 * 48)
        let angles = FloatRows(pointer: buffer.floats, count: 11, width: 48)
        pool.run { $0.computeAngles(rotation, sequences: sequences, into: angles) }
        for sequence in sequences {
            for row in sequence.rows {
                let position = sequence.position + row - sequence.rows.lowerBound
                for pair in 0..<24 {
                    let angle = Double(position) * pow(10_000, -Double(pair) / 24)
                    #expect(abs(Double(angles.row(row)[pair]) - 1.25 * cos(angle)) < 1e-6)
                    #expect(abs(Double(angles.row(row)[24 + pair]) - 1.25 * sin(angle)) < 1e-6)
                }
            }
        }
    }
}
