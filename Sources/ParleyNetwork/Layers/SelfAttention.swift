// SPDX-License-Identifier: Apache-2.0

import ParleyModelFile
package import ParleyTensor

/// Grouped-query self-attention ([Ainslie et al., 2023](https://arxiv.org/abs/2305.13245)) with rotary position
/// embedding.
package struct SelfAttention: Sendable {
    /// `[heads · headWidth, width]`; with a gate twice as many rows, those of each head's query before those of its gate.
    var query: PackedMatrix
    /// `[kvHeads · headWidth, width]`
    var key: PackedMatrix
    /// `[kvHeads · headWidth, width]`
    var value: PackedMatrix
    /// `[width, heads · headWidth]`
    var output: PackedMatrix
    var queryBias: AlignedBuffer?
    var keyBias: AlignedBuffer?
    var valueBias: AlignedBuffer?
    var outputBias: AlignedBuffer?
    /// Weights that normalise each head of the queries, `[headWidth]`, or their whole row, `[heads · headWidth]`.
    var queryNorm: AlignedBuffer?
    /// Weights that normalise each head of the keys, `[headWidth]`, or their whole row, `[kvHeads · headWidth]`.
    var keyNorm: AlignedBuffer?
    /// For each query head the score of one more position, whose value is 0, `[heads]`.
    let sinks: AlignedBuffer?
    let normalizes: QueryNormalization
    /// Whether the result is multiplied by the sigmoid of a gate.
    let isGated: Bool
    package var shape: AttentionShape
    let epsilon: Float

    /// What of the queries and keys is normalised before they are rotated.
    package enum QueryNormalization: Sendable {
        /// Each head, where the file has the norms.
        case headsIfPresent
        /// Each head.
        case heads
        /// All heads of a token together.
        case rows
    }

    /// Loads the tensors of layer `index` by their usual names; biases are optional.
    ///
    /// - Throws: ``NetworkError`` if the file contradicts itself; errors from reading the tensors.
    package init(
        _ loader: ModelLoader, layer index: Int, normalizes: QueryNormalization = .headsIfPresent, window: Int = 0,
        scale: Float? = nil, hasSinks: Bool = false, isGated: Bool = false
    ) throws {
        let hyper = loader.hyperparameters
        guard hyper.kvHeads[index] > 0 else {
            throw NetworkError(
                .invalidFile,
                "\(loader.file.name): \(hyper.key("attention.head_count_kv")) is 0 for layer \(index), which attends. "
                    + "The file is damaged; download it again.")
        }
        guard hyper.attention.headWidths[index] == hyper.headWidth, hyper.attention.sources[index] == index else {
            throw NetworkError(
                .unsupported,
                "\(loader.file.name): heads of several widths, and layers that attend to the keys of others, are not "
                    + "supported for the architecture “\(hyper.architecture)”.")
        }
        let kvWidth = hyper.kvHeads[index] * hyper.headWidth
        let queryRows = isGated ? 2 * hyper.queryWidth : hyper.queryWidth
        guard !isGated || hyper.projectedWidth >= queryRows + hyper.queryWidth else {
            throw NetworkError(
                .invalidFile,
                "\(loader.file.name): attention with a gate needs \(hyper.key("ssm.state_size")). The file is damaged; "
                    + "download it again.")
        }
        let name = "blk.\(index).attn_"
        if loader.file.tensor(ifPresent: name + "qkv.weight") != nil {
            let total = queryRows + 2 * kvWidth
            let keys = queryRows..<queryRows + kvWidth
            func part(_ rows: Range<Int>) throws -> PackedMatrix {
                try loader.matrix(name + "qkv.weight", rows: rows, of: total, columns: hyper.width)
            }
            query = try part(0..<queryRows)
            key = try part(keys)
            value = try part(keys.upperBound..<total)
        } else {
            query = try loader.matrix(name + "q.weight", rows: queryRows, columns: hyper.width)
            key = try loader.matrix(name + "k.weight", rows: kvWidth, columns: hyper.width)
            value = try loader.matrix(name + "v.weight", rows: kvWidth, columns: hyper.width)
        }
        output = try loader.matrix(name + "output.weight", rows: hyper.width, columns: hyper.queryWidth)
        queryBias = try loader.vector(ifPresent: name + "q.bias", count: hyper.queryWidth)
        keyBias = try loader.vector(ifPresent: name + "k.bias", count: kvWidth)
        valueBias = try loader.vector(ifPresent: name + "v.bias", count: kvWidth)
        outputBias = try loader.vector(ifPresent: name + "output.bias", count: hyper.width)
        func norm(_ name: String, width: Int) throws -> AlignedBuffer? {
            switch normalizes {
            case .headsIfPresent: try loader.vector(ifPresent: name, count: hyper.headWidth)
            case .heads: try loader.vector(name, count: hyper.headWidth)
            case .rows: try loader.vector(name, count: width)
            }
        }
        queryNorm = try norm(name + "q_norm.weight", width: hyper.queryWidth)
        keyNorm = try norm(name + "k_norm.weight", width: kvWidth)
        sinks = try hasSinks ? loader.vector(name + "sinks.weight", count: hyper.heads) : nil
        self.normalizes = normalizes
        self.isGated = isGated
        shape = AttentionShape(
            heads: hyper.heads, kvHeads: hyper.kvHeads[index], headWidth: hyper.headWidth,
            scale: scale ?? 1 / Float(hyper.headWidth).squareRoot(), window: window, growth: try hyper.scoreGrowth)
        epsilon = hyper.epsilon
    }

    /// Computes `y = attention(x)` with the cache of `layer`; both are `[rows, width]`, `x` is already normalised, and
    /// `y` is shared by the lanes.
    package func run(
        _ x: FloatRows, into y: FloatRows, step: ModelStep, layer: Int, angles: FloatRows,
        pairing: RotaryEmbedding.Pairing, on lane: Lane
    ) {
        let width = shape.heads * shape.headWidth
        let q = step.queries.columns(from: 0, width: width)
        let k = step.keys.columns(from: 0, width: key.rows)
        let v = step.values.columns(from: 0, width: value.rows)
        let mixed = step.mixed.columns(from: 0, width: width)
        let both = step.projected.columns(from: 0, width: isGated ? 2 * width : 0)
        let gate = step.projected.columns(from: both.width, width: width)

        lane.multiply(x, by: (query, key, value), into: (isGated ? both : q, k, v), quantized: step.quantized)
        if isGated { lane.splitHeads(both, width: shape.headWidth, into: q, gate) }
        let weights = prepareRows(q, k, on: lane)
        lane.rotateAndStore(
            q: q, k: k, v: v, weights: weights, epsilon: epsilon, angles: angles, pairing: pairing, shape: shape,
            sequences: step.sequences, cache: { step.caches[$0].keyValues(of: layer) })
        lane.attend(
            q: q, into: mixed, shape: shape, sequences: step.sequences, sinks: sinks,
            cache: { step.caches[$0].keyValues(of: layer) })
        if isGated { lane.multiplyValues(bySigmoidOf: gate, into: mixed) }
        lane.multiply(mixed, by: output, into: y, quantized: step.quantized)
        if let outputBias { lane.add(outputBias, to: y) }
    }

    /// Does what concerns whole rows of queries and keys, and returns what is left to do to each head of queries, keys
    /// and values: that is done together with their rotation, so that lanes need not wait for each other.
    private func prepareRows(
        _ q: FloatRows, _ k: FloatRows, on lane: Lane
    ) -> (HeadWeights, HeadWeights, HeadWeights) {
        guard normalizes == .rows else {
            return (
                HeadWeights(bias: queryBias, norm: queryNorm), HeadWeights(bias: keyBias, norm: keyNorm),
                HeadWeights(bias: valueBias)
            )
        }
        if let queryBias { lane.add(queryBias, to: q) }
        if let keyBias { lane.add(keyBias, to: k) }
        if let queryNorm { lane.normalize(q, weight: queryNorm, epsilon: epsilon, into: q) }
        if let keyNorm { lane.normalize(k, weight: keyNorm, epsilon: epsilon, into: k) }
        return (HeadWeights(), HeadWeights(), HeadWeights(bias: valueBias))
    }
}
