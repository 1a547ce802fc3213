// SPDX-License-Identifier: Apache-2.0

import ParleyModelFile
package import ParleyTensor

/// The attention of Gemma 3n and 4: the heads of queries, keys and values are normalised, and scores are not scaled.
///
/// In some layers the values are the keys before their norm and rotation. The last layers of some models have no keys and
/// values, but attend to those of an earlier layer.
package struct GemmaAttention: Sendable {
    /// `[heads · headWidth, width]`
    private let query: PackedMatrix
    /// `[kvHeads · headWidth, width]`; nil if the layer attends to the keys and values of another.
    private let key: PackedMatrix?
    /// `[kvHeads · headWidth, width]`; nil also if the values are the keys.
    private let value: PackedMatrix?
    /// `[width, heads · headWidth]`
    private let output: PackedMatrix
    /// `[headWidth]`
    private let queryNorm: AlignedBuffer
    /// `[headWidth]`
    private let keyNorm: AlignedBuffer?
    /// The layer whose keys and values are attended to.
    private let source: Int
    private let epsilon: Float
    package let shape: AttentionShape

    /// Loads the tensors of layer `index` by their usual names.
    ///
    /// - Parameters:
    ///   - loader: reads the tensors.
    ///   - index: the number of the layer.
    ///   - window: the number of positions that a query attends to; 0 for all.
    /// - Throws: ``NetworkError`` if the file contradicts itself; errors from reading the tensors.
    package init(_ loader: ModelLoader, layer index: Int, window: Int) throws {
        let hyper = loader.hyperparameters
        let (kvHeads, headWidth) = (hyper.kvHeads[index], hyper.attention.headWidths[index])
        source = hyper.attention.sources[index]
        guard kvHeads > 0, kvHeads == hyper.kvHeads[source], headWidth == hyper.attention.headWidths[source] else {
            throw NetworkError(
                .invalidFile,
                "\(loader.file.name): layer \(index) has \(kvHeads) heads of \(headWidth) keys, and the layer whose keys "
                    + "it attends to has others. The file is damaged; download it again.")
        }
        let (queries, keys) = (hyper.heads * headWidth, kvHeads * headWidth)
        let name = "blk.\(index).attn_"
        let ownsKeys = source == index
        let fused = name + "qkv.weight"
        if loader.file.tensor(ifPresent: fused) != nil {
            func part(_ rows: Range<Int>) throws -> PackedMatrix {
                try loader.matrix(fused, rows: rows, of: queries + 2 * keys, columns: hyper.width)
            }
            query = try part(0..<queries)
            key = try ownsKeys ? part(queries..<queries + keys) : nil
            value = try ownsKeys ? part(queries + keys..<queries + 2 * keys) : nil
        } else {
            query = try loader.matrix(name + "q.weight", rows: queries, columns: hyper.width)
            key = try ownsKeys ? loader.matrix(name + "k.weight", rows: keys, columns: hyper.width) : nil
            let hasValues = ownsKeys && loader.file.tensor(ifPresent: name + "v.weight") != nil
            value = try hasValues ? loader.matrix(name + "v.weight", rows: keys, columns: hyper.width) : nil
        }
        output = try loader.matrix(name + "output.weight", rows: hyper.width, columns: queries)
        queryNorm = try loader.vector(name + "q_norm.weight", count: headWidth)
        keyNorm = try ownsKeys ? loader.vector(name + "k_norm.weight", count: headWidth) : nil
        epsilon = hyper.epsilon
        shape = AttentionShape(heads: hyper.heads, kvHeads: kvHeads, headWidth: headWidth, scale: 1, window: window)
    }

    /// Computes `y = attention(x)`; both are `[rows, width]`, `x` is already normalised, and `y` is shared by the lanes.
    package func run(
        _ x: FloatRows, into y: FloatRows, step: ModelStep, layer: Int, angles: FloatRows,
        pairing: RotaryEmbedding.Pairing, on lane: Lane
    ) {
        let q = step.queries.columns(from: 0, width: query.rows)
        let mixed = step.mixed.columns(from: 0, width: query.rows)
        let queryWeights = HeadWeights(norm: queryNorm)
        if let key {
            let k = step.keys.columns(from: 0, width: key.rows)
            let v = step.values.columns(from: 0, width: key.rows)
            if let value {
                lane.multiply(x, by: (query, key, value), into: (q, k, v), quantized: step.quantized)
            } else {
                lane.multiply(x, by: (query, key), into: (q, k), quantized: step.quantized)
                lane.copy(k, into: v)
            }
            lane.rotateAndStore(
                q: q, k: k, v: v,
                weights: (queryWeights, HeadWeights(norm: keyNorm), HeadWeights(normalizes: true)), epsilon: epsilon,
                angles: angles, pairing: pairing, shape: shape, sequences: step.sequences,
                cache: { step.caches[$0].keyValues(of: layer) })
        } else {
            lane.multiply(x, by: query, into: q, quantized: step.quantized)
            lane.rotate(
                q: q, weights: queryWeights, epsilon: epsilon, angles: angles, pairing: pairing, shape: shape,
                sequences: step.sequences)
        }
        lane.attend(
            q: q, into: mixed, shape: shape, sequences: step.sequences,
            cache: { step.caches[$0].keyValues(of: source) })
        lane.multiply(mixed, by: output, into: y, quantized: step.quantized)
    }
}
