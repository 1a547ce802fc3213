// SPDX-License-Identifier: Apache-2.0

import ParleyModelFile
package import ParleyTensor

/// Computes the logits of all tokens from the last hidden state.
package struct LanguageHead: Sendable {
    /// `[width]`
    let norm: AlignedBuffer
    /// `[vocabulary, width]`
    let output: PackedMatrix
    let epsilon: Float
    /// If set, each logit is replaced by `softcap · tanh(logit / softcap)`.
    let softcap: Float?
    /// A factor for every logit.
    package var factor: Float = 1

    /// Loads the output head; if the file has no matrix for it, the token embedding's matrix is used, and if it has no
    /// soft cap, `usualSoftcap`; 0 for none.
    package init(
        _ loader: ModelLoader, embedding: TokenEmbedding, norm: String = "output_norm.weight", usualSoftcap: Float = 0
    ) throws {
        let hyper = loader.hyperparameters
        self.norm = try loader.vector(norm, count: hyper.width)
        output =
            loader.file.tensor(ifPresent: "output.weight") == nil
            ? embedding.matrix
            : try loader.matrix("output.weight", rows: hyper.vocabularySize, columns: hyper.width)
        epsilon = hyper.epsilon
        let cap = try hyper.metadata.float(ifPresent: hyper.key("final_logit_softcapping")) ?? usualSoftcap
        softcap = cap > 0 ? cap : nil
    }

    /// Computes `logits`, `[rows, vocabulary]`, from `x`, `[rows, width]`, which is normalised in place.
    package func run(_ x: FloatRows, into logits: FloatRows, quantized: QuantizedRows, on lane: Lane) {
        lane.normalize(x, weight: norm, epsilon: epsilon, into: x)
        lane.multiply(x, by: output, into: logits, quantized: quantized)
        lane.scale(logits, by: factor)
        if let softcap { lane.limit(logits, by: softcap) }
    }
}
