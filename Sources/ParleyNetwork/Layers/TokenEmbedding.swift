// SPDX-License-Identifier: Apache-2.0

package import ParleyTensor

/// The embedding matrix, which turns tokens into hidden states and in many models also computes the logits.
package struct TokenEmbedding: Sendable {
    /// `[vocabulary, width]`
    let matrix: PackedMatrix
    /// A factor for every value of an embedding.
    package var factor: Float = 1

    package init(_ loader: ModelLoader) throws {
        let hyper = loader.hyperparameters
        matrix = try loader.matrix("token_embd.weight", rows: hyper.vocabularySize, columns: hyper.width)
    }

    /// Writes the embedding of each token to a row of `x`.
    func run(_ tokens: UnsafeBufferPointer<Int32>, into x: FloatRows, on lane: Lane) {
        lane.lookUp(tokens, in: matrix, into: x, factor: factor)
    }

    /// Writes the embedding of each row's token to the hidden state.
    package func run(_ step: ModelStep, on lane: Lane) {
        lane.lookUp(step.tokens, in: matrix, into: step.hidden(on: lane), factor: factor)
    }
}
