// SPDX-License-Identifier: Apache-2.0

import ParleyModelFile
package import ParleyTensor

/// The gated short convolution of LFM2, `out · (c ⊙ conv(b ⊙ x))`, where b, c and x are projections of the input.
package struct ShortConvolution: Sendable {
    /// The projections b, c and x, `[3 · width, width]`.
    let input: PackedMatrix
    /// `[width, taps]`
    let kernel: AlignedBuffer
    /// `[width, width]`
    let output: PackedMatrix

    /// Loads the tensors of layer `index` by their usual names.
    ///
    /// - Throws: ``NetworkError`` if the file describes recurrent layers of another kind; errors from reading the tensors.
    package init(_ loader: ModelLoader, layer index: Int) throws {
        let width = loader.hyperparameters.width
        guard loader.hyperparameters.recurrence == nil else {
            throw NetworkError(
                .invalidFile,
                "\(loader.file.name) has both short convolutions and the metadata of other recurrent layers. The file is "
                    + "damaged; download it again.")
        }
        let name = "blk.\(index).shortconv."
        let taps = loader.hyperparameters.convolutionTaps
        input = try loader.matrix(name + "in_proj.weight", rows: 3 * width, columns: width)
        kernel = try loader.vector(name + "conv.weight", count: width * taps)
        output = try loader.matrix(name + "out_proj.weight", rows: width, columns: width)
    }

    /// Computes `y = convolution(x)`; both are `[rows, width]`, and `y` is shared by the lanes.
    package func run(_ x: FloatRows, into y: FloatRows, step: ModelStep, layer: Int, on lane: Lane) {
        let width = y.width
        let projected = step.projected.columns(from: 0, width: 3 * width)
        let b = projected.columns(from: 0, width: width)
        let c = projected.columns(from: width, width: width)
        let gated = projected.columns(from: 2 * width, width: width)
        lane.multiply(x, by: input, into: projected, quantized: step.quantized)
        lane.multiplyValues(b, into: gated)
        for (number, sequence) in step.sequences.enumerated() {
            lane.convolve(
                gated.rows(sequence.rows), weight: kernel, state: step.caches[number].state(of: layer),
                position: sequence.position, into: b.rows(sequence.rows))
        }
        lane.multiplyValues(b, into: c)
        lane.multiply(c, by: output, into: y, quantized: step.quantized)
    }
}
