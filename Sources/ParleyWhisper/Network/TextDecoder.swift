// SPDX-License-Identifier: Apache-2.0

import ParleyTensor

/// Whisper's decoder: layers that see the text so far and what the encoder has made of the sound
/// ([Radford et al., 2022](https://arxiv.org/abs/2212.04356)).
///
/// Only the model's thread uses it.
final class TextDecoder {
    private struct Layer {
        let norm: Norm
        let attention: AttentionWeights
        let crossNorm: Norm
        let cross: AttentionWeights
        let feedForward: FeedForwardWeights
        /// The keys and values of the sound.
        let sound: KeyValueCache
    }

    /// The most rows whose logits one step computes.
    static let logitRows = DecoderMemory.logitRows
    /// The number of rows from which a step is long enough to divide its work into chunks.
    private static let longStep = 32

    private let dimensions: WhisperDimensions
    /// `[tokens, width]`, which is also the head.
    private let embedding: PackedMatrix
    private let positions: AlignedBuffer
    private let layers: [Layer]
    private let norm: Norm
    private let pool: WorkerPool
    private let memory: DecoderMemory
    /// What the layers remember of each text that is followed at once; there is always a first one.
    private var texts: [[KeyValueCache]]
    private let step = Step()
    private var run: (Lane) -> Void = { _ in }

    /// What the lanes read of the current step; it changes only between steps.
    private final class Step {
        var tokens = UnsafeBufferPointer<Int32>(start: nil, count: 0)
        var position = 0
        var outputs = UnsafeBufferPointer<Int32>(start: nil, count: 0)
        var soundPositions = 0
        var keyBias: AlignedBuffer?
        /// What the layers remember of the text.
        var text: [KeyValueCache] = []
        /// Where the weights of some heads are kept, by layer.
        var captures: [Int: [(head: Int, weights: FloatRows)]] = [:]
    }

    /// Loads the decoder, which computes in the model's scratch memory.
    init(_ loader: WeightLoader, scratch: ScratchMemory) throws {
        let dimensions = loader.file.dimensions
        (self.dimensions, pool) = (dimensions, loader.pool)
        embedding = try loader.matrix(
            "decoder.token_embedding.weight", rows: dimensions.vocabularySize, columns: dimensions.width)
        positions = try loader.floats("decoder.positional_embedding", count: dimensions.textContext * dimensions.width)
        layers = try (0..<dimensions.textLayers).map { index in
            let name = "decoder.blocks.\(index)."
            let headWidth = dimensions.width / dimensions.textHeads
            return Layer(
                norm: try Norm(loader, name + "attn_ln"),
                attention: try AttentionWeights(loader, name + "attn", heads: dimensions.textHeads),
                crossNorm: try Norm(loader, name + "cross_attn_ln"),
                cross: try AttentionWeights(loader, name + "cross_attn", heads: dimensions.textHeads),
                feedForward: try FeedForwardWeights(loader, name),
                sound: try KeyValueCache(
                    capacity: dimensions.audioContext, kvHeads: dimensions.textHeads, headWidth: headWidth,
                    format: DecoderMemory.soundFormat(isExact: loader.isExact)))
        }
        norm = try Norm(loader, "decoder.ln")
        memory = DecoderMemory(dimensions, scratch: scratch)
        texts = [try Self.text(dimensions)]
        step.text = texts[0]
        let (layers, memory, step, embedding, positions, norm) = (layers, memory, step, embedding, positions, norm)
        run = { lane in
            let count = step.tokens.count
            let x = memory.hidden(count, lane: lane.index)
            lane.lookUp(step.tokens, in: embedding, into: x)
            lane.addPositions(positions, from: step.position, to: x)
            for (index, layer) in layers.enumerated() {
                Self.run(layer, step, step.text[index], x, memory, captures: step.captures[index], on: lane)
            }
            let selected = memory.selected(step.outputs.count, lane: lane.index, isShared: !x.isPrivate)
            lane.gather(step.outputs, from: x, into: selected)
            norm.run(selected, into: selected, on: lane)
            lane.multiply(selected, by: embedding, into: memory.logits(step.outputs.count), quantized: memory.quantized)
        }
    }

    /// The empty memory of a text, by layer.
    private static func text(_ dimensions: WhisperDimensions) throws(AllocationError) -> [KeyValueCache] {
        var caches: [KeyValueCache] = []
        for _ in 0..<dimensions.textLayers {
            caches.append(
                try KeyValueCache(
                    capacity: dimensions.textContext, kvHeads: dimensions.textHeads,
                    headWidth: dimensions.width / dimensions.textHeads))
        }
        return caches
    }

    /// The memory of a text, in bytes.
    var textByteCount: Int { DecoderMemory.textByteCount(dimensions) }

    /// Makes room for so many texts at once.
    ///
    /// - Throws: `AllocationError`.
    func reserve(texts count: Int) throws(AllocationError) {
        while texts.count < count { texts.append(try Self.text(dimensions)) }
    }

    /// Gives the memory of texts back, but for the first.
    func releaseTexts() { texts.removeSubrange(1...) }

    /// Makes texts what others are, as far as so many tokens.
    ///
    /// - Parameters:
    ///   - sources: for each text from the first on, the one that it goes on from.
    ///   - spare: as many texts that are not in use.
    ///   - count: how many tokens the texts have.
    func rearrange(_ sources: [Int], spare: Range<Int>, count: Int) {
        guard sources != Array(sources.indices) else { return }
        for (target, source) in zip(spare, sources) {
            for (copy, original) in zip(texts[target], texts[source]) { copy.copy(0..<count, of: original) }
        }
        for (index, target) in zip(sources.indices, spare) { texts.swapAt(index, target) }
    }

    /// Computes keys and values of the encoder's states, for all layers.
    ///
    /// - Parameters:
    ///   - states: a row for each position of the sound.
    ///   - keyBias: what is added to the scores of their keys.
    ///   - check: called before each layer; what it throws ends the computation.
    /// - Throws: what `check` throws.
    func hear(_ states: FloatRows, keyBias: AlignedBuffer?, check: () throws -> Void) throws {
        step.soundPositions = states.count
        step.keyBias = keyBias
        let (keys, values) = memory.sound(states.count)
        let quantized = memory.quantized
        for layer in layers {
            try check()
            pool.run(isLong: true) { lane in
                lane.multiply(
                    states, by: (layer.cross.key.weight, layer.cross.value.weight), into: (keys, values),
                    quantized: quantized)
                lane.store(
                    k: keys, v: values, valueBias: layer.cross.value.bias, shape: layer.cross.shape, from: 0,
                    in: layer.sound)
            }
        }
    }

    /// Computes the logits after some tokens; the text before `position` stays as it is, and what followed is forgotten.
    ///
    /// - Parameters:
    ///   - tokens: the tokens, which with `position` fit into the decoder's context.
    ///   - position: the number of tokens before.
    ///   - outputs: the indices in `tokens` after which logits are computed, at most ``logitRows``.
    ///   - text: which of the texts they follow.
    /// - Returns: the logits, a row for each of `outputs`, valid until the next call.
    func decode(_ tokens: [Int32], at position: Int, outputs: [Int32], in text: Int = 0) -> FloatRows {
        precondition(
            position + tokens.count <= dimensions.textContext && outputs.count <= Self.logitRows && !tokens.isEmpty,
            "\(tokens.count) tokens at \(position)")
        tokens.withUnsafeBufferPointer { tokens in
            outputs.withUnsafeBufferPointer { outputs in
                (step.tokens, step.position, step.outputs) = (tokens, position, outputs)
                step.text = texts[text]
                pool.run(isLong: tokens.count >= Self.longStep, run)
                step.tokens = UnsafeBufferPointer(start: nil, count: 0)
                step.outputs = UnsafeBufferPointer(start: nil, count: 0)
            }
        }
        return memory.logits(outputs.count)
    }

    /// How many positions of the sound are heard.
    var soundPositions: Int { step.soundPositions }

    /// The memory of the weights of so many heads for so many tokens, in bytes.
    func weightsByteCount(heads: Int, tokens: Int) -> Int {
        heads * tokens * soundPositions * MemoryLayout<Float>.stride
    }

    /// The weights with which some heads attend to the sound, for each of some tokens from the beginning of the text.
    ///
    /// - Parameters:
    ///   - heads: the heads, by layer.
    ///   - tokens: the tokens, which fit into the decoder's context.
    /// - Returns: for each head `[tokens][positions]`, and the memory in which they are.
    /// - Throws: `AllocationError`.
    func weights(
        of heads: [(layer: Int, head: Int)], tokens: [Int32]
    ) throws(AllocationError) -> (heads: [FloatRows], memory: AlignedBuffer) {
        let width = soundPositions
        let area = tokens.count * width
        let buffer = try AlignedBuffer(byteCount: weightsByteCount(heads: heads.count, tokens: tokens.count))
        let rows = heads.indices.map { index in
            FloatRows(pointer: buffer.floats + index * area, count: tokens.count, width: width)
        }
        for (head, rows) in zip(heads, rows) { step.captures[head.layer, default: []].append((head.head, rows)) }
        defer { step.captures = [:] }
        _ = decode(tokens, at: 0, outputs: [Int32(tokens.count - 1)])
        return (rows, buffer)
    }

    private static func run(
        _ layer: Layer, _ step: Step, _ text: KeyValueCache, _ x: FloatRows, _ memory: DecoderMemory,
        captures: [(head: Int, weights: FloatRows)]?, on lane: Lane
    ) {
        let count = x.count
        let normed = memory.normed(count, lane: lane.index)
        let (branch, mixed) = (memory.branch(count), memory.mixed(count))
        let (q, k, v) = (memory.queries(count), memory.keys(count), memory.values(count))
        let (attention, cross) = (layer.attention, layer.cross)

        layer.norm.run(x, into: normed, on: lane)
        lane.multiply(
            normed, by: (attention.query.weight, attention.key.weight, attention.value.weight), into: (q, k, v),
            quantized: memory.quantized)
        let sequences = [SequenceRows(rows: 0..<count, position: step.position)]
        lane.addAndStore(
            q: q, k: k, v: v, biases: (attention.query.bias, nil, attention.value.bias), shape: attention.shape,
            sequences: sequences, cache: text)
        lane.attend(q: q, into: mixed, shape: attention.shape, sequences: sequences, cache: { _ in text })
        lane.multiply(mixed, by: attention.output.weight, into: branch, quantized: memory.quantized)
        lane.add(branch, summand: attention.output.bias, to: x)

        layer.crossNorm.run(x, into: normed, on: lane)
        lane.multiply(normed, by: cross.query.weight, into: q, quantized: memory.quantized)
        if let bias = cross.query.bias { lane.add(bias, to: q) }
        for capture in captures ?? [] {
            lane.attentionWeights(
                q: q, head: capture.head, shape: cross.shape, positions: step.soundPositions, of: layer.sound,
                keyBias: step.keyBias, into: capture.weights)
        }
        lane.attend(
            q: q, into: mixed, shape: cross.shape, positions: step.soundPositions, of: layer.sound,
            keyBias: step.keyBias)
        lane.multiply(mixed, by: cross.output.weight, into: branch, quantized: memory.quantized)
        lane.add(branch, summand: cross.output.bias, to: x)

        layer.feedForward.run(
            x, normed: normed, inner: memory.inner(count), branch: branch, quantized: memory.quantized, on: lane)
    }
}
