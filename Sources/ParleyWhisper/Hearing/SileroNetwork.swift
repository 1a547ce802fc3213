// SPDX-License-Identifier: Apache-2.0

package import Foundation
import ParleyModelFile
import ParleySpeech
import ParleyTensor
import Synchronization

/// Silero's network, which tells speech from other sounds ([Silero Team, 2021](https://github.com/snakers4/silero-vad)):
/// a spectrum of four frames, four convolutions, and one cell with memory (LSTM).
///
/// Its values are shared by all sessions; each has a ``Memory`` of its own.
package final class SileroNetwork: Sendable {
    /// What is remembered of the sound so far.
    struct Memory: Sendable {
        fileprivate var hidden = [Float](repeating: 0, count: cells)
        fileprivate var cell = [Float](repeating: 0, count: cells)
    }

    /// The samples of a stretch, of the one before it that are heard again, and of those that are mirrored behind it.
    static let stretch = VoiceActivityFrame.length
    static let context = 64
    fileprivate static let mirrored = 64
    fileprivate static let (frame, hop, frames, bins) = (256, 128, 4, 129)
    fileprivate static let cells = 128

    /// A convolution over three frames: `[outputs, 3 · inputs]`, a summand for each output, and how far it steps.
    fileprivate struct Convolution {
        let weight: PackedMatrix
        let bias: [Float]
        let inputs, outputs, step: Int
    }

    /// What one stretch after another is computed with, and in.
    fileprivate final class Work {
        let pool = WorkerPool(lanes: 1)
        let spectrum: PackedMatrix
        let convolutions: [Convolution]
        /// `[4 · cells, 2 · cells]`: for the input and for what the cells said last, one behind the other.
        let gates: PackedMatrix
        let gateBias: [Float]
        let output: [Float]
        let outputBias: Float
        let quantized: QuantizedRows
        let samples, complex, first, second, gateValues: AlignedBuffer

        init(_ file: SileroFile) throws {
            spectrum = try file.matrix("spectrum", rows: 2 * bins, columns: frame, pool)
            let sizes = [(bins, 128, 1), (128, 64, 2), (64, 64, 2), (64, 128, 1)]
            let pool = pool
            convolutions = try sizes.enumerated().map { index, size in
                let (inputs, outputs, step) = size
                return Convolution(
                    weight: try file.convolution("convolution.\(index).weight", outputs, inputs, pool),
                    bias: try file.values("convolution.\(index).bias", count: outputs), inputs: inputs,
                    outputs: outputs, step: step)
            }
            gates = try file.joined("cell.input", "cell.hidden", rows: 4 * cells, columns: cells, pool)
            let biases = [
                try file.values("cell.input.bias", count: 4 * cells),
                try file.values("cell.hidden.bias", count: 4 * cells),
            ]
            gateBias = zip(biases[0], biases[1]).map(+)
            output = try file.values("output.weight", count: cells)
            outputBias = try file.values("output.bias", count: 1)[0]
            quantized = try QuantizedRows(count: 1, columns: 0)
            samples = try AlignedBuffer(zeroedFloats: context + stretch + mirrored)
            complex = try AlignedBuffer(zeroedFloats: frames * 2 * bins)
            // A row of zeros before the first frame and one behind the last.
            first = try AlignedBuffer(zeroedFloats: (frames + 2) * bins)
            second = try AlignedBuffer(zeroedFloats: (frames + 2) * bins)
            gateValues = try AlignedBuffer(zeroedFloats: 2 * cells + 4 * cells)
        }
    }

    private let work: Mutex<Work>

    /// Loads the network.
    ///
    /// - Parameter url: the file: `silero_vad_16k.safetensors`, or whisper.cpp's `ggml-silero-v*.bin`.
    /// - Throws: `SpeechError` with code `unsupportedModel`.
    package init(contentsOf url: URL) throws {
        do {
            work = Mutex(try Work(try SileroFile(contentsOf: url)))
        } catch {
            throw SpeechError.model(error)
        }
    }

    /// The probability of speech in a stretch.
    ///
    /// - Parameters:
    ///   - samples: the last ``context`` samples of the stretch before, and those of the stretch.
    ///   - memory: what is remembered; it is changed.
    /// - Returns: the probability.
    func probability(_ samples: [Float], _ memory: inout Memory) -> Float {
        work.withLock { work in
            work.load(samples)
            return work.run(&memory)
        }
    }
}

extension SileroNetwork.Work {
    fileprivate func load(_ sound: [Float]) {
        let (x, count) = (samples.floats, SileroNetwork.context + SileroNetwork.stretch)
        for (index, sample) in sound.prefix(count).enumerated() { x[index] = sample }
        for index in 0..<SileroNetwork.mirrored { x[count + index] = x[count - 2 - index] }
    }

    fileprivate func run(_ memory: inout SileroNetwork.Memory) -> Float {
        let (frames, bins, cells) = (SileroNetwork.frames, SileroNetwork.bins, SileroNetwork.cells)
        let input = FloatRows(
            pointer: samples.floats, count: frames, width: SileroNetwork.frame, stride: SileroNetwork.hop)
        let values = FloatRows(pointer: complex.floats, count: frames, width: 2 * bins)
        let (spectrum, quantized) = (spectrum, quantized)
        pool.run { lane in lane.multiply(input, by: spectrum, into: values, quantized: quantized) }
        var (from, to) = (first.floats, second.floats)
        for row in 0..<frames {
            for bin in 0..<bins {
                let (real, imaginary) = (values.row(row)[bin], values.row(row)[bins + bin])
                from[(row + 1) * bins + bin] = (real * real + imaginary * imaginary).squareRoot()
            }
        }
        (from + (frames + 1) * bins).update(repeating: 0, count: bins)
        var count = frames
        for convolution in convolutions {
            from.update(repeating: 0, count: convolution.inputs)
            let (inputs, outputs) = (convolution.inputs, convolution.outputs)
            (from + (count + 1) * inputs).update(repeating: 0, count: inputs)
            count = (count - 1) / convolution.step + 1
            let input = FloatRows(pointer: from, count: count, width: 3 * inputs, stride: convolution.step * inputs)
            let output = FloatRows(pointer: to + outputs, count: count, width: outputs)
            pool.run { lane in
                lane.multiply(input, by: convolution.weight, into: output, quantized: quantized)
            }
            for row in 0..<count {
                for column in 0..<outputs {
                    output.row(row)[column] = max(0, output.row(row)[column] + convolution.bias[column])
                }
            }
            swap(&from, &to)
        }
        // The last convolution leaves one frame, behind the row of zeros.
        let cell = gateValues.floats
        for index in 0..<cells {
            cell[index] = from[cells + index]
            cell[cells + index] = memory.hidden[index]
        }
        let joined = FloatRows(pointer: cell, count: 1, width: 2 * cells)
        let gateRow = FloatRows(pointer: cell + 2 * cells, count: 1, width: 4 * cells)
        let gates = gates
        pool.run { lane in lane.multiply(joined, by: gates, into: gateRow, quantized: quantized) }
        func gate(_ kind: Int, _ index: Int) -> Float {
            gateRow.row(0)[kind * cells + index] + gateBias[kind * cells + index]
        }
        func sigmoid(_ value: Float) -> Float { 1 / (1 + exp(-value)) }
        var sum = outputBias
        for index in 0..<cells {
            let kept = sigmoid(gate(1, index)) * memory.cell[index]
            memory.cell[index] = kept + sigmoid(gate(0, index)) * tanh(gate(2, index))
            memory.hidden[index] = sigmoid(gate(3, index)) * tanh(memory.cell[index])
            sum += max(0, memory.hidden[index]) * output[index]
        }
        return sigmoid(sum)
    }
}
