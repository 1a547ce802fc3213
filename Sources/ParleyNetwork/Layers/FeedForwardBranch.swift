// SPDX-License-Identifier: Apache-2.0

package import ParleyTensor

/// The feed-forward part of a layer.
package enum FeedForwardBranch: Sendable {
    case dense(FeedForward)
    case experts(ExpertFeedForward)

    /// Loads the tensors of layer `index` by their usual names.
    ///
    /// - Throws: ``NetworkError`` if the layer's experts are not supported; errors from reading the tensors.
    package init(_ loader: ModelLoader, layer index: Int, activation: GatedActivation = .silu) throws {
        if let sizes = loader.hyperparameters.experts, index >= sizes.denseLayers {
            self = .experts(try ExpertFeedForward(loader, layer: index, sizes: sizes, activation: activation))
        } else {
            self = .dense(try FeedForward(loader, layer: index, activation: activation))
        }
    }

    /// Computes `y = feedForward(x)`; both are `[rows, width]`, and `y` is shared by the lanes.
    package func run(_ x: FloatRows, into y: FloatRows, step: ModelStep, on lane: Lane) {
        switch self {
        case .dense(let feedForward): feedForward.run(x, into: y, step: step, on: lane)
        case .experts(let experts): experts.run(x, into: y, step: step, on: lane)
        }
    }
}
