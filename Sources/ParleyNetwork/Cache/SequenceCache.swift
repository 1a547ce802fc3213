// SPDX-License-Identifier: Apache-2.0

package import ParleyTensor

/// The state that all layers keep for one sequence.
package final class SequenceCache: Sendable {
    private enum Layer: Sendable {
        case attention(KeyValueCache)
        case convolution(ConvolutionHistory)
    }

    private let layers: [Layer]
    private let histories: [ConvolutionHistory]

    /// Allocates the memory of all layers for `capacity` positions.
    ///
    /// - Throws: `AllocationError` if the system has too little memory.
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

    /// The keys and values of an attention layer; the layer must be one.
    func keyValues(of layer: Int) -> KeyValueCache {
        guard case .attention(let cache) = layers[layer] else {
            preconditionFailure("layer \(layer) has no keys and values")
        }
        return cache
    }

    /// The state of a convolution layer; the layer must be one.
    func convolution(of layer: Int) -> ConvolutionHistory {
        guard case .convolution(let history) = layers[layer] else {
            preconditionFailure("layer \(layer) has no convolution")
        }
        return history
    }

    /// Whether ``rewind(to:)`` can return to every position.
    package var rewindsExactly: Bool { histories.isEmpty }

    /// Cuts the sequence back to a position, or to the nearest earlier one to which every layer can return.
    ///
    /// - Parameter position: at most the number of positions in the sequence.
    /// - Returns: the position to which the sequence was cut back.
    package func rewind(to position: Int) -> Int {
        guard !histories.isEmpty else { return position }
        let reached = position / ConvolutionHistory.interval * ConvolutionHistory.interval
        for history in histories { history.restore(at: reached) }
        return reached
    }
}
