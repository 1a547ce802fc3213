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
            case .attention(let kvHeads, let headWidth, let format):
                .attention(
                    try KeyValueCache(capacity: capacity, kvHeads: kvHeads, headWidth: headWidth, format: format))
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

    /// Gives the memory of some positions, which have been cut off, back to the system. What convolutions keep is small
    /// and stays.
    package func giveBack(_ positions: Range<Int>) {
        for case .attention(let cache) in layers { cache.giveBack(positions) }
    }

    // MARK: Copying

    /// Copies what the layers of another cache keep of some positions, and brings all layers to the position reached.
    ///
    /// - Parameters:
    ///   - positions: the positions; both caches hold the same before them, and have room for them.
    ///   - other: a cache of the same layers, perhaps of another capacity.
    ///   - budget: the number of bytes to copy at most, unless one interval has more; is reduced by what is copied.
    /// - Returns: the position reached; the start of the positions if the layers can go to no later one.
    package func copy(_ positions: Range<Int>, of other: SequenceCache, within budget: inout Int) -> Int {
        let interval = ConvolutionHistory.interval
        // Convolutions keep their state, and panels of keys are complete, at the ends of intervals.
        let start = positions.lowerBound / interval * interval
        let last = rewindsExactly ? positions.upperBound : positions.upperBound / interval * interval
        let intervals = max(budget / max(snapshotByteCount(of: interval), 1), 1)
        let end = min(last, start + min(intervals, last) * interval)
        guard end > positions.lowerBound else { return positions.lowerBound }
        for (layer, source) in zip(layers, other.layers) {
            switch (layer, source) {
            case (.attention(let cache), .attention(let source)): cache.copy(start..<end, of: source)
            case (.convolution(let history), .convolution(let source)): history.copy(start..<end, of: source)
            default: preconditionFailure("the caches have different layers")
            }
        }
        for history in histories { history.restore(at: end) }
        budget -= snapshotByteCount(of: (end - start + interval - 1) / interval * interval)
        return end
    }

    // MARK: Snapshots

    /// The distance between two positions up to which the cache can be copied: where convolutions have kept their
    /// state, and where panels of keys are complete.
    package static let snapshotInterval = ConvolutionHistory.interval

    /// The size in bytes of what all layers keep for the first `count` positions, a multiple of ``snapshotInterval``.
    package func snapshotByteCount(of count: Int) -> Int {
        layers.reduce(0) { sum, layer in
            switch layer {
            case .attention(let cache): sum + cache.byteCount(of: count)
            case .convolution(let history): sum + history.byteCount(of: count)
            }
        }
    }

    /// Passes what all layers keep for the first `count` positions, layer by layer. If it is written to, the state must
    /// then be brought to a position with ``rewind(to:)``.
    package func withSnapshot(of count: Int, _ body: (UnsafeMutableRawBufferPointer) throws -> Void) rethrows {
        for layer in layers {
            switch layer {
            case .attention(let cache): try cache.withPositions(count, body)
            case .convolution(let history): try history.withPositions(count, body)
            }
        }
    }
}
