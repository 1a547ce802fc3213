// SPDX-License-Identifier: Apache-2.0

import ParleyModelFile
package import ParleyTensor

/// The embeddings of tokens that each layer of Gemma 3n and 4 has of its own
/// ([Google, 2025](https://ai.google.dev/gemma/docs/gemma-3n#ple-caching)).
///
/// They are added to a projection of the usual embedding.
package struct LayerEmbedding: Sendable {
    /// `[vocabulary, layers · layerEmbeddingWidth]`
    private let tokens: PackedMatrix
    /// `[layers · layerEmbeddingWidth, width]`
    private let projection: PackedMatrix
    /// `[layerEmbeddingWidth]`
    private let norm: AlignedBuffer
    private let epsilon: Float
    private let factor: Float
    private let projectionFactor: Float

    package init(_ loader: ModelLoader) throws {
        let hyper = loader.hyperparameters
        let total = hyper.layers * hyper.layerEmbeddingWidth
        tokens = try loader.matrix("per_layer_token_embd.weight", rows: hyper.vocabularySize, columns: total)
        projection = try loader.matrix("per_layer_model_proj.weight", rows: total, columns: hyper.width)
        norm = try loader.vector("per_layer_proj_norm.weight", count: hyper.layerEmbeddingWidth)
        epsilon = hyper.epsilon
        factor = Float(hyper.layerEmbeddingWidth).squareRoot()
        projectionFactor = 1 / Float(hyper.width).squareRoot()
    }

    /// Computes the embeddings of all layers for the rows of the step, whose usual embedding is in the hidden state.
    package func run(_ step: ModelStep, on lane: Lane) {
        let (own, projected) = (step.layerEmbeddings, step.layerProjections)
        lane.multiply(step.hidden(on: lane), by: projection, into: projected, quantized: step.quantized)
        lane.scale(projected, by: projectionFactor)
        lane.normalizeParts(of: projected, weight: norm, epsilon: epsilon)
        lane.lookUp(step.tokens, in: tokens, into: own, factor: factor)
        lane.add(projected, to: own)
        lane.scale(own, by: Float(0.5).squareRoot())
    }
}

/// What a layer adds to the hidden state because of its own embedding `e` of the token:
/// `norm(projection · (gelu(gate · x) ⊙ e))`.
package struct LayerEmbeddingBranch: Sendable {
    /// `[layerEmbeddingWidth, width]`
    private let gate: PackedMatrix
    /// `[width, layerEmbeddingWidth]`
    private let projection: PackedMatrix
    /// `[width]`
    package let norm: AlignedBuffer

    package init(_ loader: ModelLoader, layer index: Int) throws {
        let hyper = loader.hyperparameters
        let name = "blk.\(index)."
        gate = try loader.matrix(name + "inp_gate.weight", rows: hyper.layerEmbeddingWidth, columns: hyper.width)
        projection = try loader.matrix(name + "proj.weight", rows: hyper.width, columns: hyper.layerEmbeddingWidth)
        norm = try loader.vector(name + "post_norm.weight", count: hyper.width)
    }

    /// Computes the branch, not yet normalised; both are `[rows, width]`, and `y` is shared by the lanes.
    package func run(_ x: FloatRows, into y: FloatRows, step: ModelStep, layer: Int, on lane: Lane) {
        let width = gate.rows
        let gated = step.gate.columns(from: 0, width: width)
        let activated = step.activated(on: lane).columns(from: 0, width: width)
        let own = step.layerEmbeddings.columns(from: layer * width, width: width)
        lane.multiply(x, by: gate, into: gated, quantized: step.quantized)
        lane.activate(gated, up: own, with: .gelu, into: activated)
        lane.multiply(activated, by: projection, into: y, quantized: step.quantized)
    }
}
