// SPDX-License-Identifier: Apache-2.0

package import ParleyTensor

/// What all layers remember of one sequence.
package final class SequenceCache: Sendable {
    private enum Layer: Sendable {
        case attention(KeyValueCache)
        case convolution(ConvolutionHistory)
    }

    private let layers: [Layer]
    private let histories: [ConvolutionHistory]

    /// Allocates the memory of all layers for `capacity` positions.
    ///
    /// - Throws: `AllocationError` where there is none.
    package init(_ memories: [LayerMemory], capacity: Int) throws(AllocationError) {
        layers = try memories.map { memory throws(AllocationError) in
            switch memory {
            case .attention(let kvHeads, let headWidth):
                .attention(try KeyValueCache(capacity: capacity, kvHeads: kvHeads, headWidth: headWidth))
            case .convolution(let channels, let taps):
                .convolution(try ConvolutionHistory(capacity: capacity, channels: channels, taps: taps))
            }
        }
        histories = layers.compactMap { if case .convolution(let history) = $0 { history } else { nil } }
    }

    /// The keys and values of an attention layer.
    func keyValues(of layer: Int) -> KeyValueCache {
        guard case .attention(let cache) = layers[layer] else {
            preconditionFailure("layer \(layer) has no keys and values")
        }
        return cache
    }

    /// The history of a convolution layer.
    func convolution(of layer: Int) -> ConvolutionHistory {
        guard case .convolution(let history) = layers[layer] else {
            preconditionFailure("layer \(layer) has no convolution")
        }
        return history
    }

    /// Whether ``rewind(to:)`` reaches every position.
    package var rewindsExactly: Bool { histories.isEmpty }

    /// Cuts back to a position, or to the nearest one before it that every layer can return to.
    ///
    /// - Parameter position: at most the positions held.
    /// - Returns: the position reached.
    package func rewind(to position: Int) -> Int {
        guard !histories.isEmpty else { return position }
        let reached = position / ConvolutionHistory.interval * ConvolutionHistory.interval
        for history in histories { history.restore(at: reached) }
        return reached
    }
}
