// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Changes the number of samples a second of a sound that arrives in pieces.
///
/// Each new sample is the sum of the old ones around its time, weighted with a sinc under a Kaiser window. The sinc's
/// edge lies below half of the lower rate, so that what the new rate cannot represent is removed and not folded back.
/// The result does not depend on how the sound was cut into pieces.
/// See J. O. Smith, [Digital Audio Resampling](https://ccrma.stanford.edu/~jos/resample/).
package struct Resampler: Sendable {
    /// The ratio of the rates in lowest terms: `up` new samples for `down` old ones.
    private let up: Int
    private let down: Int
    /// The window reaches so many old samples to each side.
    private let reach: Int
    /// The weights of `2 · reach` old samples for each of the `up` phases, or for ``maximumPhases`` of them, between
    /// which weights are then interpolated.
    private let weights: [Float]
    private let phases: Int

    /// Old samples that new ones still need; the first is number ``origin``.
    private var held: [Float]
    private var origin: Int
    /// How many old samples have arrived, and how many new ones were made.
    private var received = 0
    private var made = 0

    /// Zero crossings of the sinc on each side.
    private static let crossings = 32
    /// The Kaiser window's shape: side lobes of about −100 dB.
    private static let shape = 10.0
    /// Where the pass band ends, as a part of half the lower rate.
    private static let edge = 0.94
    /// The table of weights has at most so many phases.
    private static let maximumPhases = 1024

    /// Creates a resampler between two rates, both at least 1.
    package init(from oldRate: Int, to newRate: Int) {
        let (old, new) = (max(1, oldRate), max(1, newRate))
        let divisor = Self.greatestCommonDivisor(old, new)
        (up, down) = (new / divisor, old / divisor)
        // Below half of the lower rate, in cycles for an old sample, times two. Bounded, so that absurd rates cost a
        // bounded amount of memory and time.
        let cutoff = max(min(1, Double(new) / Double(old)), 1.0 / 512) * Self.edge
        reach = Int((Double(Self.crossings) / cutoff).rounded(.up))
        phases = min(up, Self.maximumPhases)
        weights = Self.weights(phases: phases, reach: reach, cutoff: cutoff)
        held = [Float](repeating: 0, count: reach)
        origin = -reach
    }

    /// Takes the next piece, and returns the new samples that it completes.
    package mutating func resample(_ piece: some Collection<Float>) -> [Float] {
        held += piece
        received += piece.count
        return make(until: received - reach)
    }

    /// The last samples, after which there is only silence. Afterwards the resampler must not be used.
    package mutating func finish() -> [Float] {
        held += repeatElement(0, count: reach + 1)
        return make(until: received)
    }

    /// Makes all new samples whose time is before that of an old sample.
    private mutating func make(until end: Int) -> [Float] {
        var result: [Float] = []
        if up == down {
            // Equal rates: nothing is weighted.
            let (first, last) = (made, max(made, min(end, received)))
            result += held[(first - origin)..<(last - origin)]
            made = last
        } else {
            result.reserveCapacity(max(0, (end - made * down / up) * up / down + 1))
            while true {
                let (whole, rest) = (made * down).quotientAndRemainder(dividingBy: up)
                if whole >= end { break }
                result.append(sample(at: whole, phase: rest))
                made += 1
            }
        }
        // The next new sample may lie behind all old ones that have arrived.
        let passed = min(made * down / up - reach - origin, held.count)
        // Moving what is held costs its length, so small steps are saved up.
        if passed > 4096 {
            held.removeFirst(passed)
            origin += passed
        }
        return result
    }

    /// The sample at `rest / up` of a step behind the old sample `whole`.
    private func sample(at whole: Int, phase rest: Int) -> Float {
        let width = 2 * reach
        let first = whole - reach + 1 - origin
        if phases == up { return sum(first, row: rest, width) }
        let position = Double(rest) / Double(up) * Double(phases)
        let row = Int(position)
        let part = Float(position - Double(row))
        return sum(first, row: row, width) * (1 - part) + sum(first, row: row + 1, width) * part
    }

    private func sum(_ first: Int, row: Int, _ width: Int) -> Float {
        let start = row * width
        return held.withUnsafeBufferPointer { held in
            weights.withUnsafeBufferPointer { weights in
                // Eight sums side by side, which the processor adds at once.
                var totals = SIMD8<Float>.zero
                var tap = 0
                let (sound, row) = (UnsafeRawBufferPointer(held), UnsafeRawBufferPointer(weights))
                while tap + 8 <= width {
                    let old = sound.loadUnaligned(fromByteOffset: (first + tap) * 4, as: SIMD8<Float>.self)
                    totals += old * row.loadUnaligned(fromByteOffset: (start + tap) * 4, as: SIMD8<Float>.self)
                    tap += 8
                }
                var total = totals.sum()
                while tap < width {
                    total += held[first + tap] * weights[start + tap]
                    tap += 1
                }
                return total
            }
        }
    }

    /// One row of weights a phase, and one more for interpolating behind the last; each row sums to 1.
    private static func weights(phases: Int, reach: Int, cutoff: Double) -> [Float] {
        let scale = 1 / bessel(shape)
        var result: [Float] = []
        result.reserveCapacity((phases + 1) * 2 * reach)
        for phase in 0...phases {
            let offset = Double(phase) / Double(phases)
            let row = (0..<(2 * reach)).map { tap -> Double in
                let time = Double(tap - reach + 1) - offset
                let ratio = time / Double(reach)
                let window = ratio * ratio >= 1 ? 0 : bessel(shape * (1 - ratio * ratio).squareRoot()) * scale
                let angle = Double.pi * time * cutoff
                return window * (abs(angle) < 1e-9 ? 1 : sin(angle) / angle)
            }
            let total = row.reduce(0, +)
            result += row.map { Float($0 / total) }
        }
        return result
    }

    /// The modified Bessel function of the first kind and order zero, by its series.
    private static func bessel(_ x: Double) -> Double {
        var (total, term) = (1.0, 1.0)
        for index in 1...60 {
            term *= (x / 2 / Double(index)) * (x / 2 / Double(index))
            total += term
        }
        return total
    }

    private static func greatestCommonDivisor(_ a: Int, _ b: Int) -> Int {
        var (a, b) = (a, b)
        while b != 0 { (a, b) = (b, a % b) }
        return a
    }
}
