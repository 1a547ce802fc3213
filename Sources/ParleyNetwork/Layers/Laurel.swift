// SPDX-License-Identifier: Apache-2.0

import ParleyModelFile
package import ParleyTensor

/// A learned augmented residual layer of low rank, `x + norm(right · left · x)`
/// ([Menghani et al., 2024](https://arxiv.org/abs/2411.07501)).
package struct Laurel: Sendable {
    /// `[rank, width]`
    private let left: PackedMatrix
    /// `[width, rank]`
    private let right: PackedMatrix
    /// `[width]`
    private let norm: AlignedBuffer
    private let epsilon: Float

    /// Loads the tensors of layer `index`.
    ///
    /// - Throws: ``NetworkError`` if the rank is more than the width of the feed-forward part, whose memory is used; errors
    ///   from reading the tensors.
    package init(_ loader: ModelLoader, layer index: Int) throws {
        let hyper = loader.hyperparameters
        let name = "blk.\(index).laurel_"
        let rank = try loader.file.tensor(name + "l.weight").rows
        guard rank <= hyper.feedForwardWidth[index] else {
            throw NetworkError(
                .invalidFile,
                "\(loader.file.name): the tensor \(name)l.weight has \(rank) rows, more than \(hyper.key("feed_forward_length")). "
                    + "The file is damaged; download it again.")
        }
        left = try loader.matrix(name + "l.weight", rows: rank, columns: hyper.width)
        right = try loader.matrix(name + "r.weight", rows: hyper.width, columns: rank)
        norm = try loader.vector(name + "post_norm.weight", count: hyper.width)
        epsilon = hyper.epsilon
    }

    /// Computes `y` from `x`; both are `[rows, width]`, and `y` is shared by the lanes.
    package func run(_ x: FloatRows, into y: FloatRows, step: ModelStep, on lane: Lane) {
        let inner = step.gate.columns(from: 0, width: left.rows)
        lane.multiply(x, by: left, into: inner, quantized: step.quantized)
        lane.multiply(inner, by: right, into: y, quantized: step.quantized)
        lane.normalize(y, weight: norm, epsilon: epsilon, into: y)
        lane.add(x, to: y)
    }
}
