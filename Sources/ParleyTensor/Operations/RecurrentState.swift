// SPDX-License-Identifier: Apache-2.0

/// The form of what a recurrent layer keeps of a sequence: the last inputs of a causal convolution, and for each head of
/// linear attention a matrix.
package struct RecurrentShape: Sendable, Hashable {
    /// The number of values in an input of the convolution.
    package var channels: Int
    /// The length of the convolution's kernel.
    package var taps: Int
    /// The number of matrices; 0 for none.
    package var heads: Int
    /// The number of rows of a matrix.
    package var keyWidth: Int
    /// The number of columns of a matrix.
    package var valueWidth: Int

    /// Describes the state of a layer.
    package init(channels: Int, taps: Int, heads: Int = 0, keyWidth: Int = 0, valueWidth: Int = 0) {
        self.channels = channels
        self.taps = taps
        self.heads = heads
        self.keyWidth = keyWidth
        self.valueWidth = valueWidth
    }

    /// The number of values that the convolution keeps: `taps - 1` inputs.
    var inputCount: Int { (taps - 1) * channels }
    /// The number of values in the state.
    var count: Int { inputCount + heads * keyWidth * valueWidth }

    /// The distance between two positions at which the state is saved.
    ///
    /// It is a power of two, and the larger the state the longer, so that what is saved takes about as much memory for a
    /// position as keys and values of attention would.
    package var interval: Int {
        var interval = RecurrentState.shortestInterval
        while interval < RecurrentState.longestInterval, count * MemoryLayout<Float>.stride > 3_072 * interval {
            interval *= 2
        }
        return interval
    }
}

/// The state of one recurrent layer in one sequence, and a copy of it for positions at regular intervals, so that the
/// sequence can be cut back to any of these positions.
package final class RecurrentState: Sendable {
    static let shortestInterval = 32
    static let longestInterval = 1_024

    let shape: RecurrentShape
    /// The distance between two positions to which a sequence can be cut back.
    package let interval: Int
    private let state: AlignedBuffer
    private let saved: AlignedBuffer

    /// Creates the state for an empty sequence.
    ///
    /// - Parameters:
    ///   - capacity: the largest number of positions in the sequence.
    ///   - shape: the form of the state.
    /// - Throws: ``AllocationError`` if the system has too little memory.
    package init(capacity: Int, shape: RecurrentShape) throws(AllocationError) {
        self.shape = shape
        interval = shape.interval
        state = try AlignedBuffer(zeroedFloats: shape.count)
        saved = try AlignedBuffer(byteCount: (capacity / interval + 1) * shape.count * MemoryLayout<Float>.stride)
        saved.floats.initialize(repeating: 0, count: shape.count)
    }

    /// The memory that one layer's state needs, in bytes.
    package static func byteCount(capacity: Int, shape: RecurrentShape) -> Int {
        (capacity / shape.interval + 2) * shape.count * MemoryLayout<Float>.stride
    }

    /// The size of the state and its copies in bytes.
    package var byteCount: Int { state.byteCount + saved.byteCount }

    /// The last inputs of the convolution, `[taps - 1][channels]`, the oldest first.
    var inputs: UnsafeMutablePointer<Float> { state.floats }
    /// The matrices, `[heads][keyWidth][valueWidth]`.
    var matrices: UnsafeMutablePointer<Float> { state.floats + shape.inputCount }

    /// Restores the state at a position, which must be a multiple of ``interval`` that the sequence has reached before.
    package func restore(at position: Int) {
        state.floats.update(from: savedState(at: position), count: shape.count)
    }

    /// Calls `body` for parts of `count` rows from a position on, cut where the state is saved: with the numbers of the rows
    /// and, if the state after them is to be saved, its position.
    func forEachInterval(of count: Int, at position: Int, _ body: (_ rows: Range<Int>, _ end: Int?) -> Void) {
        var row = 0
        while row < count {
            let next = min(count, row + interval - (position + row) % interval)
            body(row..<next, (position + next).isMultiple(of: interval) ? position + next : nil)
            row = next
        }
    }

    /// Saves the columns of `rows` rows of the state, `width` values apart, the first of which begins at `part`, for a
    /// position that is a multiple of ``interval``.
    func save(_ part: UnsafeMutablePointer<Float>, rows: Int, width: Int, columns: Range<Int>, at position: Int) {
        let target = savedState(at: position) + (part - state.floats)
        for row in 0..<rows {
            let offset = row * width + columns.lowerBound
            (target + offset).update(from: part + offset, count: columns.count)
        }
    }

    /// Gives the memory of the copies at some positions, which have been cut off, back to the system.
    package func giveBack(_ positions: Range<Int>) {
        let stateBytes = shape.count * MemoryLayout<Float>.stride
        // The copy at the lower bound is still needed.
        let (first, last) = (positions.lowerBound / interval + 1, positions.upperBound / interval)
        guard first <= last else { return }
        saved.giveBack(first * stateBytes..<(last + 1) * stateBytes)
    }

    /// The size in bytes of the states at the positions up to `count`, a multiple of ``interval``.
    package func byteCount(of count: Int) -> Int { count / interval * shape.count * MemoryLayout<Float>.stride }

    /// Passes the memory of the states at the positions up to `count`, a multiple of ``interval``, to be read or written.
    package func withPositions(_ count: Int, _ body: (UnsafeMutableRawBufferPointer) throws -> Void) rethrows {
        let states = UnsafeMutableRawBufferPointer(start: savedState(at: interval), count: byteCount(of: count))
        precondition(
            count.isMultiple(of: interval)
                && states.count + shape.count * MemoryLayout<Float>.stride <= saved.byteCount,
            "\(count) positions are not whole intervals of this state")
        if count > 0 { try body(states) }
    }

    /// Copies the states at the ends of some intervals of positions from another sequence of the same layer.
    package func copy(_ positions: Range<Int>, of other: RecurrentState) {
        let first = positions.lowerBound / interval + 1
        let last = positions.upperBound / interval
        let end = (last + 1) * shape.count * MemoryLayout<Float>.stride
        precondition(
            shape == other.shape && end <= min(saved.byteCount, other.saved.byteCount),
            "the positions \(positions) cannot be copied between these states")
        guard first <= last else { return }
        savedState(at: first * interval).update(
            from: other.savedState(at: first * interval), count: (last + 1 - first) * shape.count)
    }

    private func savedState(at position: Int) -> UnsafeMutablePointer<Float> {
        saved.floats + position / interval * shape.count
    }
}
