// SPDX-License-Identifier: Apache-2.0

import ParleyModelFile
import ParleyNetwork
import ParleyTensor

/// LFM2: short convolutions in most layers, attention in the others
/// ([Liquid AI, 2025](https://www.liquid.ai/blog/liquid-foundation-models-v2-our-second-series-of-generative-ai-models)).
struct LFM2: Architecture {
    struct Layer: Sendable {
        enum Mixer: Sendable {
            case attention(SelfAttention)
            case convolution(ShortConvolution)
        }

        let mixerNorm: AlignedBuffer
        let mixer: Mixer
        let feedForwardNorm: AlignedBuffer
        let feedForward: FeedForwardBranch
    }

    let embedding: TokenEmbedding
    let rotation: RotaryEmbedding
    let layers: [Layer]
    let head: LanguageHead
    private let epsilon: Float

    init(_ loader: ModelLoader) throws {
        let hyper = loader.hyperparameters
        epsilon = hyper.epsilon
        embedding = try TokenEmbedding(loader)
        rotation = try loader.rotation(pairing: .halves)
        layers = try (0..<hyper.layers).map { index in
            Layer(
                mixerNorm: try loader.vector("blk.\(index).attn_norm.weight", count: hyper.width),
                mixer: hyper.kvHeads[index] > 0
                    ? .attention(try SelfAttention(loader, layer: index, normalizes: .heads))
                    : .convolution(try ShortConvolution(loader, layer: index)),
                feedForwardNorm: try loader.vector("blk.\(index).ffn_norm.weight", count: hyper.width),
                feedForward: try FeedForwardBranch(loader, layer: index))
        }
        head = try LanguageHead(loader, embedding: embedding, norm: "token_embd_norm.weight")
    }

    func run(_ step: ModelStep, on lane: Lane) {
        let x = step.hidden(on: lane)
        let inner = step.inner(on: lane)
        let branch = step.branch
        embedding.run(step, on: lane)
        lane.computeAngles(rotation, sequences: step.sequences, into: step.angles)
        for (index, layer) in layers.enumerated() {
            lane.normalize(x, weight: layer.mixerNorm, epsilon: epsilon, into: inner)
            switch layer.mixer {
            case .attention(let attention):
                attention.run(
                    inner, into: branch, step: step, layer: index, angles: step.angles, pairing: .halves, on: lane)
            case .convolution(let convolution):
                convolution.run(inner, into: branch, step: step, layer: index, on: lane)
            }
            lane.add(branch, to: x)
            lane.normalize(x, weight: layer.feedForwardNorm, epsilon: epsilon, into: inner)
            layer.feedForward.run(inner, into: branch, step: step, on: lane)
            lane.add(branch, to: x)
        }
    }
}
