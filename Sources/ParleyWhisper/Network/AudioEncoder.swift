// SPDX-License-Identifier: Apache-2.0

import ParleyTensor

/// Whisper's encoder: two convolutions, positions, and layers whose rows see each other
/// ([Radford et al., 2022](https://arxiv.org/abs/2212.04356)).
///
/// Only the model's thread uses it.
final class AudioEncoder {
    private struct Layer {
        let norm: Norm
        let attention: AttentionWeights
        let feedForward: FeedForwardWeights
    }

    private let dimensions: WhisperDimensions
    private let first: PackedMatrix
    private let firstBias: AlignedBuffer
    private let second: PackedMatrix
    private let secondBias: AlignedBuffer
    private let positions: AlignedBuffer
    private let layers: [Layer]
    private let norm: Norm
    private let spectrum: MelSpectrum
    private let pool: WorkerPool
    private let scratch: EncoderMemory

    /// Loads the encoder, which computes in the model's scratch memory.
    init(_ loader: WeightLoader, scratch: ScratchMemory) throws {
        let dimensions = loader.file.dimensions
        (self.dimensions, pool) = (dimensions, loader.pool)
        // The spectrum is where errors begin, and its product is a small part of the work.
        first = try loader.convolution(
            "encoder.conv1.weight", outputs: dimensions.width, inputs: dimensions.mels, isExact: true)
        firstBias = try loader.floats("encoder.conv1.bias", count: dimensions.width)
        second = try loader.convolution(
            "encoder.conv2.weight", outputs: dimensions.width, inputs: dimensions.width, isExact: false)
        secondBias = try loader.floats("encoder.conv2.bias", count: dimensions.width)
        positions = try loader.floats(
            "encoder.positional_embedding", count: dimensions.audioContext * dimensions.width)
        layers = try (0..<dimensions.audioLayers).map { index in
            let name = "encoder.blocks.\(index)."
            return Layer(
                norm: try Norm(loader, name + "attn_ln"),
                attention: try AttentionWeights(loader, name + "attn", heads: dimensions.audioHeads),
                feedForward: try FeedForwardWeights(loader, name))
        }
        norm = try Norm(loader, "encoder.ln_post")
        self.scratch = try EncoderMemory(
            dimensions, isExact: loader.isExact, lanes: loader.pool.laneCount, scratch: scratch)
        spectrum = try MelSpectrum(bands: dimensions.mels, pool: loader.pool, scratch: self.scratch.frames)
    }

    /// Computes the states of a window.
    ///
    /// - Parameters:
    ///   - samples: the sound, at most 30 seconds.
    ///   - kept: which positions are computed.
    ///   - keyBias: what is added to the scores of their keys.
    ///   - check: called before each layer; what it throws ends the computation.
    /// - Returns: the states, a row for each position, valid until the next call.
    /// - Throws: what `check` throws.
    func run(
        _ samples: UnsafeBufferPointer<Float>, keeping kept: AudioPositions, keyBias: AlignedBuffer?,
        check: () throws -> Void
    ) throws -> FloatRows {
        try check()
        embed(samples, kept)
        let memory = scratch.rows(kept.count)
        for layer in layers {
            try check()
            pool.run(isLong: true) { lane in Self.run(layer, memory, keyBias, on: lane) }
        }
        let norm = norm
        pool.run(isLong: true) { lane in norm.run(memory.hidden, into: memory.hidden, on: lane) }
        return memory.hidden
    }

    /// The spectrum, the convolutions and the positions.
    private func embed(_ samples: UnsafeBufferPointer<Float>, _ kept: AudioPositions) {
        let (bands, width) = (dimensions.mels, dimensions.width)
        let window = dimensions.audioContext
        // The window ends early, two positions beyond the whole ones: one of all silence, and the last one, which alone
        // sees the zeros behind the window.
        let count = kept.isFull ? window : kept.whole + 2
        let frames = 2 * count
        // Both convolutions see one row of zeros before the first.
        let mel = scratch.spectrum.floats
        mel.update(repeating: 0, count: bands)
        spectrum.run(samples, into: FloatRows(pointer: mel + bands, count: frames, width: bands))
        (mel + (frames + 1) * bands).update(repeating: 0, count: bands)
        let halfway = scratch.convolved.floats
        halfway.update(repeating: 0, count: width)
        let firstRows = FloatRows(pointer: halfway + width, count: 2 * count, width: width)
        let firstInput = FloatRows(pointer: mel, count: 2 * count, width: 3 * bands, stride: bands)
        let secondInput = FloatRows(pointer: halfway, count: count, width: 3 * width, stride: 2 * width)
        let hidden = scratch.rows(max(count, kept.count)).hidden
        let (first, second, firstBias, secondBias) = (first, second, firstBias, secondBias)
        let (quantized, positions) = (scratch.quantized, positions)
        pool.run(isLong: true) { lane in
            lane.multiply(firstInput, by: first, into: firstRows, quantized: quantized)
            lane.activateExactly(adding: firstBias, in: firstRows)
            lane.multiply(secondInput, by: second, into: hidden.rows(0..<count), quantized: quantized)
            lane.activateExactly(adding: secondBias, in: hidden.rows(0..<count))
            if !kept.isFull {
                let (silence, end) = (hidden.row(kept.whole), hidden.row(kept.whole + 1))
                lane.divide(1) { _ in hidden.row(kept.count - 1).update(from: end, count: width) }
                lane.divide(kept.count - kept.whole - 2) { places in
                    for place in places { hidden.row(kept.whole + 1 + place).update(from: silence, count: width) }
                }
            }
            lane.divide(kept.count) { places in
                for place in places {
                    let (values, embedding) = (hidden.row(place), positions.floats + kept.position(at: place) * width)
                    for column in 0..<width { values[column] += embedding[column] }
                }
            }
        }
    }

    private static func run(_ layer: Layer, _ memory: EncoderMemory.Rows, _ keyBias: AlignedBuffer?, on lane: Lane) {
        let (x, attention) = (memory.hidden, layer.attention)
        layer.norm.run(x, into: memory.normed, on: lane)
        lane.multiply(
            memory.normed, by: (attention.query.weight, attention.key.weight, attention.value.weight),
            into: (memory.queries, memory.keys, memory.values), quantized: memory.quantized)
        switch memory.attention {
        case .quantized(let quantized):
            if let bias = attention.query.bias { lane.add(bias, to: memory.queries) }
            if let bias = attention.value.bias { lane.add(bias, to: memory.values) }
            lane.attendToAll(
                q: memory.queries, k: memory.keys, v: memory.values, into: memory.normed, shape: attention.shape,
                keyBias: keyBias, memory: quantized)
        case .exact(let cache):
            let sequences = [SequenceRows(rows: 0..<x.count, position: 0)]
            lane.addAndStore(
                q: memory.queries, k: memory.keys, v: memory.values,
                biases: (attention.query.bias, nil, attention.value.bias), shape: attention.shape,
                sequences: sequences, cache: cache)
            lane.attendToAll(
                q: memory.queries, into: memory.normed, shape: attention.shape, sequences: sequences, cache: cache,
                keyBias: keyBias)
        }
        lane.multiply(memory.normed, by: attention.output.weight, into: memory.branch, quantized: memory.quantized)
        lane.add(memory.branch, summand: attention.output.bias, to: x)
        layer.feedForward.run(
            x, normed: memory.normed, inner: memory.inner, branch: memory.branch, quantized: memory.quantized, on: lane)
    }
}
