// SPDX-License-Identifier: Apache-2.0

import ParleyModelFile
import ParleyNetwork
import ParleyTensor

/// Gemma 4: layers with a sliding window have narrower heads than the others ([Google,
/// 2026](https://ai.google.dev/gemma/docs/core/model_card_4)).
///
/// Small models have embeddings for each layer, and layers that attend to the keys and values of earlier ones; one model has
/// experts beside each feed-forward network.
struct Gemma4: Architecture {
    struct Layer: Sendable {
        let attentionNorm: AlignedBuffer
        let attention: GemmaAttention
        let attentionPostNorm: AlignedBuffer
        let feedForwardNorm: AlignedBuffer
        let feedForward: FeedForward
        let experts: Experts?
        let feedForwardPostNorm: AlignedBuffer
        let embedding: LayerEmbeddingBranch?
        /// A factor for the hidden state after the layer.
        let factor: Float
    }

    /// Experts whose result is added to that of the feed-forward network; both are normalised before.
    struct Experts: Sendable {
        let feedForwardPostNorm: AlignedBuffer
        /// Of the router's input.
        let routerNorm: AlignedBuffer
        let norm: AlignedBuffer
        let experts: ExpertFeedForward
        let postNorm: AlignedBuffer
    }

    let embedding: TokenEmbedding
    let layerEmbedding: LayerEmbedding?
    /// The rotary embedding of layers that attend to all positions.
    let rotation: RotaryEmbedding
    /// The rotary embedding of layers with a sliding window.
    let localRotation: RotaryEmbedding
    let layers: [Layer]
    let head: LanguageHead
    private let epsilon: Float

    init(_ loader: ModelLoader) throws {
        let hyper = loader.hyperparameters
        epsilon = hyper.epsilon
        var embedding = try TokenEmbedding(loader)
        embedding.factor = Float(hyper.width).squareRoot()
        self.embedding = embedding
        let hasEmbeddings = hyper.layerEmbeddingWidth > 0
        layerEmbedding = try hasEmbeddings ? LayerEmbedding(loader) : nil
        // The factors say which pairs of values are rotated at all.
        _ = try loader.file.tensor("rope_freqs.weight")
        rotation = try loader.rotation(pairing: .halves)
        localRotation = try loader.localRotation(pairing: .halves, base: nil)
        let windows = try loader.listedWindows
        layers = try windows.enumerated().map { index, window in
            func norm(_ name: String) throws -> AlignedBuffer {
                try loader.vector("blk.\(index).\(name).weight", count: hyper.width)
            }
            return Layer(
                attentionNorm: try norm("attn_norm"),
                attention: try GemmaAttention(loader, layer: index, window: window),
                attentionPostNorm: try norm("post_attention_norm"),
                feedForwardNorm: try norm("ffn_norm"),
                feedForward: try FeedForward(loader, layer: index, activation: .gelu),
                experts: try Experts(loader, layer: index, norm: norm),
                feedForwardPostNorm: try norm("post_ffw_norm"),
                embedding: try hasEmbeddings ? LayerEmbeddingBranch(loader, layer: index) : nil,
                factor: try loader.number(ifPresent: "blk.\(index).layer_output_scale.weight") ?? 1)
        }
        head = try LanguageHead(loader, embedding: embedding)
    }

    func run(_ step: ModelStep, on lane: Lane) {
        let x = step.hidden(on: lane)
        let inner = step.inner(on: lane)
        let branch = step.branch
        embedding.run(step, on: lane)
        layerEmbedding?.run(step, on: lane)
        let local = step.localAngles
        lane.computeAngles(rotation, sequences: step.sequences, into: step.angles)
        lane.computeAngles(localRotation, sequences: step.sequences, into: local)
        for (index, layer) in layers.enumerated() {
            lane.normalize(x, weight: layer.attentionNorm, epsilon: epsilon, into: inner)
            layer.attention.run(
                inner, into: branch, step: step, layer: index,
                angles: layer.attention.shape.window > 0 ? local : step.angles, pairing: .halves, on: lane)
            lane.normalize(branch, weight: layer.attentionPostNorm, epsilon: epsilon, into: inner, addingTo: x)

            lane.normalize(x, weight: layer.feedForwardNorm, epsilon: epsilon, into: inner)
            layer.feedForward.run(inner, into: branch, step: step, on: lane)
            let result = layer.experts?.run(adding: branch, to: x, step: step, epsilon: epsilon, on: lane) ?? branch
            lane.normalize(result, weight: layer.feedForwardPostNorm, epsilon: epsilon, into: inner, addingTo: x)

            if let own = layer.embedding {
                own.run(x, into: branch, step: step, layer: index, on: lane)
                lane.normalize(branch, weight: own.norm, epsilon: epsilon, into: inner, addingTo: x)
            }
            lane.scale(x, by: layer.factor)
        }
    }
}

extension Gemma4.Experts {
    /// Loads the experts of layer `index`; nil if it has none.
    fileprivate init?(_ loader: ModelLoader, layer index: Int, norm: (String) throws -> AlignedBuffer) throws {
        guard let sizes = loader.hyperparameters.experts,
            loader.file.tensor(ifPresent: "blk.\(index).ffn_gate_inp.weight") != nil
        else { return nil }
        feedForwardPostNorm = try norm("post_ffw_norm_1")
        // The router's input is also divided by the square root of its width.
        let width = loader.hyperparameters.width
        routerNorm = try loader.vector(
            "blk.\(index).ffn_gate_inp.scale", count: width, times: 1 / Float(width).squareRoot())
        self.norm = try norm("pre_ffw_norm_2")
        experts = try ExpertFeedForward(loader, layer: index, sizes: sizes, activation: .gelu)
        postNorm = try norm("post_ffw_norm_2")
    }

    /// Computes the experts of `x`, and returns the sum with the result of the feed-forward network, `dense`, whose
    /// memory is then used for other things.
    fileprivate func run(
        adding dense: FloatRows, to x: FloatRows, step: ModelStep, epsilon: Float, on lane: Lane
    ) -> FloatRows {
        let (inner, sum) = (step.inner(on: lane), step.sum)
        lane.normalize(dense, weight: feedForwardPostNorm, epsilon: epsilon, into: sum)
        lane.normalize(x, weight: routerNorm, epsilon: epsilon, into: inner)
        experts.score(inner, step: step, on: lane)
        lane.normalize(x, weight: norm, epsilon: epsilon, into: inner)
        experts.runScored(inner, into: step.branch, step: step, on: lane)
        lane.normalize(step.branch, weight: postNorm, epsilon: epsilon, into: inner, addingTo: sum)
        return sum
    }
}

extension ModelLoader {
    /// The length of each layer's sliding window, 0 for none, where the file lists the layers that have one.
    ///
    /// - Throws: ``/ParleyNetwork/NetworkError`` if the file does not list them.
    var listedWindows: [Int] {
        get throws {
            let hyper = hyperparameters
            guard let slides = hyper.attention.slides else {
                throw NetworkError(
                    .invalidFile,
                    "\(file.name): \(hyper.key("attention.sliding_window_pattern")) does not say of each layer whether "
                        + "it has a sliding window. The file is damaged; download it again.")
            }
            let key = hyper.key("attention.sliding_window")
            let length = try hyper.metadata.unsigned(key)
            guard (1...(1 << 24)).contains(length) else {
                throw NetworkError(
                    .invalidFile,
                    "\(file.name): \(key) is \(length), not the length of a window. The file is damaged; download it again."
                )
            }
            return slides.map { $0 ? length : 0 }
        }
    }
}
