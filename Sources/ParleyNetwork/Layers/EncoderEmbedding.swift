// SPDX-License-Identifier: Apache-2.0

import ParleyModelFile
package import ParleyTensor

/// The first layer of BERT: the sum of the embeddings of token, position and kind of text, normalised.
package struct EncoderEmbedding: Sendable {
    private let tokens: TokenEmbedding
    /// `[context, width]`
    private let positions: AlignedBuffer
    /// The row of the first kind of text, `[width]`: an embedded text has no second part.
    private let type: AlignedBuffer?
    private let norm: LayerNorm

    /// Loads the tensors by their usual names; files of some models have no kinds of text.
    package init(_ loader: ModelLoader) throws {
        let hyper = loader.hyperparameters
        tokens = try TokenEmbedding(loader)
        positions = try loader.floats("position_embd.weight", rows: hyper.trainedContext, columns: hyper.width)
        let types = loader.file.tensor(ifPresent: "token_types.weight")?.rows
        type = try types.map { try loader.floats("token_types.weight", rows: $0, columns: hyper.width) }
        norm = try LayerNorm(loader, "token_embd_norm")
    }

    /// Writes the embedding of each row's token to the hidden state.
    package func run(_ step: EncoderStep, on lane: Lane) {
        let x = step.hidden
        tokens.run(step.tokens, into: x, on: lane)
        lane.addPositions(positions, type: type, sequences: step.texts, to: x)
        lane.normalize(x, weight: norm.weight, bias: norm.bias, epsilon: norm.epsilon, into: x)
    }
}

/// The weights of a normalisation by mean and variance ([Ba et al., 2016](https://arxiv.org/abs/1607.06450)).
struct LayerNorm: Sendable {
    let weight: AlignedBuffer
    let bias: AlignedBuffer
    let epsilon: Float

    init(_ loader: ModelLoader, _ name: String) throws {
        weight = try loader.vector(name + ".weight", count: loader.hyperparameters.width)
        bias = try loader.vector(name + ".bias", count: loader.hyperparameters.width)
        epsilon = loader.hyperparameters.epsilon
    }
}
