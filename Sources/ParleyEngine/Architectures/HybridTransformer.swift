// SPDX-License-Identifier: Apache-2.0

import ParleyNetwork
import ParleyTensor

/// A decoder that has something recurrent, whose state does not grow, instead of attention in most layers, or beside it:
/// `x += mixer(norm(x)); x += feedForward(norm(x))`.
struct HybridTransformer: Architecture {
    /// The traits of an architecture that its files do not state.
    struct Traits: Sendable {
        /// Loads what mixes the rows in a layer.
        var mixer: @Sendable (ModelLoader, _ layer: Int) throws -> Mixer
        /// The name of the norm of the feed-forward network's input.
        var feedForwardNorm = "ffn_norm.weight"
        /// The name of the norm of the head's input.
        var outputNorm = "output_norm.weight"
    }

    /// What mixes the rows of a sequence with those before them.
    enum Mixer: Sendable {
        case attention(SelfAttention)
        case convolution(ShortConvolution)
        case deltaNet(GatedDeltaNet)
        /// Both of the same input, whose results are added.
        case both(SelfAttention, StateSpace)
    }

    struct Layer: Sendable {
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

    init(_ loader: ModelLoader, _ traits: Traits) throws {
        let hyper = loader.hyperparameters
        epsilon = hyper.epsilon
        embedding = try TokenEmbedding(loader)
        rotation = try loader.rotation(pairing: .halves)
        layers = try (0..<hyper.layers).map { index in
            Layer(
                mixerNorm: try loader.vector("blk.\(index).attn_norm.weight", count: hyper.width),
                mixer: try traits.mixer(loader, index),
                feedForwardNorm: try loader.vector("blk.\(index).\(traits.feedForwardNorm)", count: hyper.width),
                feedForward: try FeedForwardBranch(loader, layer: index))
        }
        head = try LanguageHead(loader, embedding: embedding, norm: traits.outputNorm)
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
            case .deltaNet(let net):
                net.run(inner, into: branch, step: step, layer: index, on: lane)
            case .both(let attention, let space):
                attention.run(
                    inner, into: branch, step: step, layer: index, angles: step.angles, pairing: .halves, on: lane)
                lane.add(branch, to: x)
                space.run(inner, into: branch, step: step, layer: index, on: lane)
            }
            lane.add(branch, to: x)
            lane.normalize(x, weight: layer.feedForwardNorm, epsilon: epsilon, into: inner)
            layer.feedForward.run(inner, into: branch, step: step, on: lane)
            lane.add(branch, to: x)
        }
    }
}
