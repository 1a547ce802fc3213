// SPDX-License-Identifier: Apache-2.0

package import ParleyTensor

/// The state that all layers keep for one sequence.
package final class SequenceCache: Sendable {
    /// The keys and values of each layer that has some.
    private let keyValues: [KeyValueCache?]
    /// The state of each layer that has one.
    private let states: [RecurrentState?]
    /// The distance between two positions up to which the cache can be copied: where all states are saved, and where panels
    /// of keys are complete.
    package let snapshotInterval: Int
    /// Whether ``rewind(to:)`` can return to every position.
    package let rewindsExactly: Bool

    /// Allocates the memory of all layers for `capacity` positions.
    ///
    /// - Throws: `AllocationError` if the system has too little memory.
    package init(_ memories: [LayerMemory], capacity: Int) throws(AllocationError) {
        keyValues = try memories.map { memory throws(AllocationError) in
            guard let attention = memory.attention else { return nil }
            return try KeyValueCache(
                capacity: capacity, kvHeads: attention.kvHeads, headWidth: attention.headWidth,
                format: attention.format)
        }
        states = try memories.map { memory throws(AllocationError) in
            guard let shape = memory.state else { return nil }
            return try RecurrentState(capacity: capacity, shape: shape)
        }
        // Intervals are powers of two, so that the longest is a multiple of the others.
        snapshotInterval = memories.compactMap { $0.state?.interval }.max() ?? Self.usualInterval
        rewindsExactly = memories.allSatisfy { $0.state == nil }
    }

    /// The interval of caches without states.
    private static let usualInterval = 32

    /// The keys and values of an attention layer; the layer must be one.
    func keyValues(of layer: Int) -> KeyValueCache {
        guard let cache = keyValues[layer] else { preconditionFailure("layer \(layer) has no keys and values") }
        return cache
    }

    /// The state of a recurrent layer; the layer must be one.
    func state(of layer: Int) -> RecurrentState {
        guard let state = states[layer] else { preconditionFailure("layer \(layer) has no state") }
        return state
    }

    /// Cuts the sequence back to a position, or to the nearest earlier one to which every layer can return.
    ///
    /// - Parameter position: at most the number of positions in the sequence.
    /// - Returns: the position to which the sequence was cut back.
    package func rewind(to position: Int) -> Int {
        guard !rewindsExactly else { return position }
        let reached = position / snapshotInterval * snapshotInterval
        for case let state? in states { state.restore(at: reached) }
        return reached
    }

    /// Gives the memory of some positions, which have been cut off, back to the system.
    package func giveBack(_ positions: Range<Int>) {
        for case let cache? in keyValues { cache.giveBack(positions) }
        for case let state? in states { state.giveBack(positions) }
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
        let interval = snapshotInterval
        let start = positions.lowerBound / interval * interval
        let last = rewindsExactly ? positions.upperBound : positions.upperBound / interval * interval
        let intervals = max(budget / max(snapshotByteCount(of: interval), 1), 1)
        let end = min(last, start + min(intervals, last) * interval)
        guard end > positions.lowerBound else { return positions.lowerBound }
        for case (let cache?, let source?) in zip(keyValues, other.keyValues) { cache.copy(start..<end, of: source) }
        for case (let state?, let source?) in zip(states, other.states) {
            state.copy(start..<end, of: source)
            state.restore(at: end)
        }
        budget -= snapshotByteCount(of: (end - start + interval - 1) / interval * interval)
        return end
    }

    // MARK: Snapshots

    /// The size in bytes of what all layers keep for the first `count` positions, a multiple of ``snapshotInterval``.
    package func snapshotByteCount(of count: Int) -> Int {
        keyValues.reduce(0) { $0 + ($1?.byteCount(of: count) ?? 0) }
            + states.reduce(0) { $0 + ($1?.byteCount(of: count) ?? 0) }
    }

    /// Passes what all layers keep for the first `count` positions, layer by layer. If it is written to, the state must
    /// then be brought to a position with ``rewind(to:)``.
    package func withSnapshot(of count: Int, _ body: (UnsafeMutableRawBufferPointer) throws -> Void) rethrows {
        for (cache, state) in zip(keyValues, states) {
            try cache?.withPositions(count, body)
            try state?.withPositions(count, body)
        }
    }
}
