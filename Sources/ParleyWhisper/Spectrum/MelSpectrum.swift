// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleySpeech
package import ParleyTensor

/// Computes log-mel spectra of sound of 16 kHz: 100 frames a second, each of 400 samples.
///
/// The Fourier transform of so short a frame is a product with a matrix, which contains the window and is computed by the
/// kernel for products. Frames overlap, so that they are rows of the padded sound with a distance of 160 samples.
package final class MelSpectrum {
    /// Samples between the beginnings of two frames.
    static let hop = 160
    /// Samples of a frame.
    static let size = 400
    /// Samples of the window of 30 seconds.
    static let windowSamples = 480_000
    private static let bins = size / 2 + 1

    private let bands: Int
    /// `[2 · bins, size]`: the window times cosines, then times sines.
    private let transform: PackedMatrix
    /// `[bands, bins]`
    private let filters: PackedMatrix
    private let scratch: ScratchArea
    private let quantized: QuantizedRows
    private let pool: WorkerPool

    /// The floats of scratch memory that ``run(_:into:)`` needs: the padded sound, and the complex spectra.
    static let scratchCount = windowSamples + size + windowSamples / hop * 2 * bins

    /// Allocates the memory for windows of 30 seconds.
    ///
    /// - Throws: `AllocationError`; `SpeechError`, which does not occur.
    package convenience init(bands: Int, pool: WorkerPool) throws {
        let scratch = try AlignedBuffer(byteCount: Self.scratchCount * MemoryLayout<Float>.stride)
        try self.init(bands: bands, pool: pool, scratch: ScratchArea(buffer: scratch, offset: 0))
    }

    /// Creates a spectrum that computes in ``scratchCount`` floats of scratch memory.
    ///
    /// - Throws: `AllocationError`; `SpeechError`, which does not occur.
    init(bands: Int, pool: WorkerPool, scratch: ScratchArea) throws {
        (self.bands, self.pool, self.scratch) = (bands, pool, scratch)
        var basis = [Float](repeating: 0, count: 2 * Self.bins * Self.size)
        let circle = (0..<Self.size).map { 2 * Double.pi * Double($0) / Double(Self.size) }
        for bin in 0..<Self.bins {
            for sample in 0..<Self.size {
                let window = 0.5 - 0.5 * cos(circle[sample])
                let angle = circle[bin * sample % Self.size]
                basis[bin * Self.size + sample] = Float(window * cos(angle))
                basis[(Self.bins + bin) * Self.size + sample] = Float(window * sin(angle))
            }
        }
        transform = try Self.matrix(basis, columns: Self.size, pool)
        filters = try Self.matrix(MelFilters.weights(bands: bands, bins: Self.bins), columns: Self.bins, pool)
        quantized = try QuantizedRows(count: 1, columns: 0)
    }

    /// The memory of the matrices, in bytes.
    static func byteCount(bands: Int) -> Int {
        let matrices = [(rows: 2 * bins, columns: size), (rows: bands, columns: bins)].map {
            PackedMatrix.byteCount(type: .f32, rows: $0.rows, columns: $0.columns) ?? 0
        }
        return matrices.reduce(0, +)
    }

    private static func matrix(_ values: [Float], columns: Int, _ pool: WorkerPool) throws -> PackedMatrix {
        let matrix = try values.withUnsafeBytes {
            try PackedMatrix(type: .f32, rows: values.count / columns, columns: columns, source: $0, pool: pool)
        }
        guard let matrix else { throw SpeechError(.transcriptionFailed, "The kernels take no matrices of floats.") }
        return matrix
    }

    /// Writes the spectrum of the first frames of a window of 30 seconds, of which `samples` are the beginning and the
    /// rest is silence.
    ///
    /// - Parameters:
    ///   - samples: the sound, at most 30 seconds.
    ///   - frames: one row for each frame that is wanted, `[frames, bands]`.
    package func run(_ samples: UnsafeBufferPointer<Float>, into frames: FloatRows) {
        let margin = Self.size / 2
        let count = min(samples.count, Self.windowSamples)
        // Frames beyond the sound are those of silence, and need not be computed.
        let heard = count == Self.windowSamples ? frames.count : min(frames.count, (count + margin) / Self.hop + 1)
        let x = scratch.floats
        let end = margin + max(Self.windowSamples, count) + margin
        let needed = min(end, heard * Self.hop + Self.size)
        for index in 0..<needed {
            let sample = index - margin
            // The sound is mirrored at both ends of the window.
            let mirrored =
                sample < 0 ? -sample : sample < Self.windowSamples ? sample : 2 * Self.windowSamples - 2 - sample
            x[index] = mirrored < count ? samples[mirrored] : 0
        }
        let input = FloatRows(pointer: x, count: heard, width: Self.size, stride: Self.hop)
        let spectra = x + Self.windowSamples + Self.size
        let complex = FloatRows(pointer: spectra, count: heard, width: 2 * Self.bins)
        let power = complex.columns(from: 0, width: Self.bins)
        let output = frames.rows(0..<heard)
        let (transform, filters, quantized, bands) = (transform, filters, quantized, bands)
        pool.run(isLong: true) { lane in
            lane.multiply(input, by: transform, into: complex, quantized: quantized)
            lane.divide(heard) { rows in
                for row in rows {
                    let values = complex.row(row)
                    for bin in 0..<Self.bins {
                        let (real, imaginary) = (values[bin], values[Self.bins + bin])
                        values[bin] = real * real + imaginary * imaginary
                    }
                }
            }
            lane.multiply(power, by: filters, into: output, quantized: quantized)
            lane.divide(heard) { rows in
                for row in rows {
                    let values = output.row(row)
                    for band in 0..<bands { values[band] = log10(max(values[band], 1e-10)) }
                }
            }
        }
        // All of the window that is not heard is silence, whose logarithm is -10.
        var highest: Float = heard == Self.windowSamples / Self.hop ? -.infinity : -10
        for row in 0..<heard {
            let values = output.row(row)
            for band in 0..<bands { highest = max(highest, values[band]) }
        }
        let lowest = highest - 8
        for row in 0..<heard {
            let values = output.row(row)
            for band in 0..<bands { values[band] = (max(values[band], lowest) + 4) / 4 }
        }
        let silence = (max(-10, lowest) + 4) / 4
        for row in heard..<frames.count { frames.row(row).update(repeating: silence, count: bands) }
    }
}
