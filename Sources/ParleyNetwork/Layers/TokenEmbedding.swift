// SPDX-License-Identifier: Apache-2.0

package import ParleyTensor

/// Where tokens enter the network, and often also where it tells their likelihoods.
package struct TokenEmbedding: Sendable {
    /// `[vocabulary, width]`
    let matrix: PackedMatrix
    /// Multiplies every value.
    package var factor: Float = 1

    package init(_ loader: ModelLoader) throws {
        let hyper = loader.hyperparameters
        matrix = try loader.matrix("token_embd.weight", rows: hyper.vocabularySize, columns: hyper.width)
    }

    /// Writes the embedding of each row's token to the hidden state.
    package func run(_ step: ModelStep, on lane: Lane) {
        lane.lookUp(step.tokens, in: matrix, into: step.hidden(on: lane), factor: factor)
    }
}
