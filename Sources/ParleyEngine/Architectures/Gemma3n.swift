// SPDX-License-Identifier: Apache-2.0

import ParleyModelFile
import ParleyNetwork
import ParleyTensor

/// Gemma 3n, text: layers compute one of several hidden states, have embeddings of their own and sparse gates, and the last
/// ones attend to the keys and values of earlier ones ([Google, 2025](https://ai.google.dev/gemma/docs/gemma-3n)).
struct Gemma3n: Architecture {
    struct Layer: Sendable {
        let altUp: AltUpLayer
        let attentionNorm: AlignedBuffer
        let attention: GemmaAttention
        let attentionPostNorm: AlignedBuffer
        let laurel: Laurel
        let feedForwardNorm: AlignedBuffer
        let feedForward: FeedForward
        let feedForwardPostNorm: AlignedBuffer
        let embedding: LayerEmbeddingBranch
    }

    let embedding: TokenEmbedding
    let layerEmbedding: LayerEmbedding
    let altUp: AltUp
    /// The rotary embedding of layers that attend to all positions.
    let rotation: RotaryEmbedding
    /// The rotary embedding of layers with a sliding window.
    let localRotation: RotaryEmbedding
    let layers: [Layer]
    let head: LanguageHead
    private let epsilon: Float

    init(_ loader: ModelLoader) throws {
        let hyper = loader.hyperparameters
        guard hyper.layerEmbeddingWidth > 0, hyper.streams.count > 1 else {
            throw NetworkError(
                .invalidFile,
                "\(loader.file.name): \(hyper.key("embedding_length_per_layer_input")) and "
                    + "\(hyper.key("altup.num_inputs")) are missing or too small. The file is damaged; download it again."
            )
        }
        epsilon = hyper.epsilon
        var embedding = try TokenEmbedding(loader)
        embedding.factor = Float(hyper.width).squareRoot()
        self.embedding = embedding
        layerEmbedding = try LayerEmbedding(loader)
        altUp = try AltUp(loader)
        rotation = try loader.rotation(pairing: .halves)
        localRotation = try loader.localRotation(pairing: .halves, base: 10_000)
        let (windows, sparsity) = (try loader.listedWindows, try hyper.gateDeviations)
        layers = try windows.enumerated().map { index, window in
            func norm(_ name: String) throws -> AlignedBuffer {
                try loader.vector("blk.\(index).\(name).weight", count: hyper.width)
            }
            var feedForward = try FeedForward(loader, layer: index, activation: .gelu)
            feedForward.deviations = sparsity[index]
            return Layer(
                altUp: try AltUpLayer(loader, layer: index),
                attentionNorm: try norm("attn_norm"),
                attention: try GemmaAttention(loader, layer: index, window: window),
                attentionPostNorm: try norm("post_attention_norm"),
                laurel: try Laurel(loader, layer: index),
                feedForwardNorm: try norm("ffn_norm"),
                feedForward: feedForward,
                feedForwardPostNorm: try norm("post_ffw_norm"),
                embedding: try LayerEmbeddingBranch(loader, layer: index))
        }
        head = try LanguageHead(loader, embedding: embedding, usualSoftcap: 30)
    }

    func run(_ step: ModelStep, on lane: Lane) {
        embedding.run(step, on: lane)
        layerEmbedding.run(step, on: lane)
        altUp.begin(step, on: lane)
        lane.computeAngles(rotation, sequences: step.sequences, into: step.angles)
        lane.computeAngles(localRotation, sequences: step.sequences, into: step.localAngles)
        for (index, layer) in layers.enumerated() { run(layer, index, step, on: lane) }
        altUp.end(step, on: lane)
    }

    private func run(_ layer: Layer, _ index: Int, _ step: ModelStep, on lane: Lane) {
        let x = step.hidden(on: lane)
        let inner = step.inner(on: lane)
        let (branch, laurel) = (step.branch, step.sum)
        layer.altUp.predict(step, on: lane)

        lane.normalize(x, weight: layer.attentionNorm, epsilon: epsilon, into: inner)
        layer.laurel.run(inner, into: laurel, step: step, on: lane)
        layer.attention.run(
            inner, into: branch, step: step, layer: index,
            angles: layer.attention.shape.window > 0 ? step.localAngles : step.angles, pairing: .halves, on: lane)
        lane.normalize(branch, weight: layer.attentionPostNorm, epsilon: epsilon, into: inner, addingTo: x)
        lane.add(laurel, to: x)
        lane.scale(x, by: Float(0.5).squareRoot())

        lane.normalize(x, weight: layer.feedForwardNorm, epsilon: epsilon, into: inner)
        layer.feedForward.run(inner, into: branch, step: step, on: lane)
        lane.normalize(branch, weight: layer.feedForwardPostNorm, epsilon: epsilon, into: inner, addingTo: x)

        layer.altUp.correct(step, scaled: inner, on: lane)
        layer.embedding.run(inner, into: branch, step: step, layer: index, on: lane)
        lane.normalize(branch, weight: layer.embedding.norm, epsilon: epsilon, into: inner)
        lane.add(inner, toAllStreamsButFirst: step.streams)
    }
}

extension Hyperparameters {
    /// How many standard deviations above their mean the gates of each layer must be to count; nil where all count.
    fileprivate var gateDeviations: [Float?] {
        get throws {
            let name = key("activation_sparsity_scale")
            // Files may lack it: the first ten layers of all published models keep one gate in twenty.
            guard let listed = try metadata.floats(ifPresent: name) else {
                return (0..<layers).map { $0 < 10 ? 1.644_853_4 : nil }
            }
            guard listed.count == layers else {
                throw NetworkError(
                    .invalidFile,
                    "\(name) has \(listed.count) numbers for \(layers) layers. The file is damaged; download it again.")
            }
            return listed.map { $0.isFinite ? $0 : nil }
        }
    }
}
