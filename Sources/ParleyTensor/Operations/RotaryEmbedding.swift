// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Rotary position embedding: pairs of values of a head turn by an angle that grows with the position
/// ([Su et al., 2021](https://arxiv.org/abs/2104.09864)).
package struct RotaryEmbedding: Sendable {
    /// Which values of a head turn together.
    package enum Pairing: Sendable {
        /// Value `2i` with value `2i + 1`.
        case adjacent
        /// Value `i` with value `i + width / 2`.
        case halves
    }

    /// Radians a position, one for each pair.
    package let frequencies: [Double]
    /// Which values of a head turn together.
    package let pairing: Pairing
    /// Multiplies sine and cosine; long-context scaling uses it.
    package let magnitude: Double

    /// Creates an embedding from its frequencies.
    package init(frequencies: [Double], pairing: Pairing, magnitude: Double = 1) {
        self.frequencies = frequencies
        self.pairing = pairing
        self.magnitude = magnitude
    }

    /// Creates the usual embedding: frequencies `scale · base^(-2i / width)`, each divided by its factor.
    ///
    /// - Parameters:
    ///   - width: how many values of a head turn; even.
    ///   - base: the base of the powers.
    ///   - scale: multiplies every frequency.
    ///   - factors: one for each pair, or nil for ones.
    ///   - pairing: which values of a head turn together.
    ///   - magnitude: multiplies sine and cosine.
    package init(
        width: Int, base: Double, scale: Double = 1, factors: [Double]? = nil, pairing: Pairing, magnitude: Double = 1
    ) {
        let frequencies = (0..<width / 2).map { pair in
            scale * pow(base, -2 * Double(pair) / Double(width)) / (factors?[pair] ?? 1)
        }
        self.init(frequencies: frequencies, pairing: pairing, magnitude: magnitude)
    }

    /// How many values of a head turn.
    package var width: Int { frequencies.count * 2 }
}

extension Lane {
    /// Tabulates cosines, then sines, of the angles of each row, in `angles`: `[rows, rotation.width]`.
    package func computeAngles(_ rotation: RotaryEmbedding, sequences: [SequenceRows], into angles: FloatRows) {
        let pairs = rotation.frequencies.count
        divide(parts: sequences.count, total: { sequences[$0].rows.count }) { number, offsets in
            let sequence = sequences[number]
            for offset in offsets {
                let row = angles.row(sequence.rows.lowerBound + offset)
                let position = Double(sequence.position + offset)
                for pair in 0..<pairs {
                    let angle = position * rotation.frequencies[pair]
                    row[pair] = Float(cos(angle) * rotation.magnitude)
                    row[pairs + pair] = Float(sin(angle) * rotation.magnitude)
                }
            }
        }
    }
}
