// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A rotary position embedding, which rotates pairs of values of a head by angles proportional to the position ([Su et
/// al., 2021](https://arxiv.org/abs/2104.09864)).
package struct RotaryEmbedding: Sendable {
    /// Which two values of a head form a pair.
    package enum Pairing: Sendable {
        /// Value `2i` is paired with value `2i + 1`.
        case adjacent
        /// Value `i` is paired with value `i + width / 2`.
        case halves
    }

    /// The rotation of each pair, in radians per position.
    package let frequencies: [Double]
    /// Which two values of a head form a pair.
    package let pairing: Pairing
    /// A factor for sine and cosine, used by some methods that extend the context.
    package let magnitude: Double

    /// Creates an embedding from its frequencies.
    package init(frequencies: [Double], pairing: Pairing, magnitude: Double = 1) {
        self.frequencies = frequencies
        self.pairing = pairing
        self.magnitude = magnitude
    }

    /// Creates the standard embedding, with the frequencies `scale · base^(-2i / width)`, each divided by its factor.
    ///
    /// - Parameters:
    ///   - width: the number of values of a head that are rotated; even.
    ///   - base: the base of the powers.
    ///   - scale: multiplies every frequency.
    ///   - factors: a divisor for each pair, or nil for no division.
    ///   - pairing: which two values of a head form a pair.
    ///   - magnitude: multiplies sine and cosine.
    package init(
        width: Int, base: Double, scale: Double = 1, factors: [Double]? = nil, pairing: Pairing, magnitude: Double = 1
    ) {
        let frequencies = (0..<width / 2).map { pair in
            scale * pow(base, -2 * Double(pair) / Double(width)) / (factors?[pair] ?? 1)
        }
        self.init(frequencies: frequencies, pairing: pairing, magnitude: magnitude)
    }

    /// The number of values of a head that are rotated.
    package var width: Int { frequencies.count * 2 }
}

extension Lane {
    /// Writes the cosines, then the sines, of each row's angles to `angles`, `[rows, rotation.width]`.
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
