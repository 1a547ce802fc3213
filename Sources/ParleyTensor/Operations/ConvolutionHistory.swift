// SPDX-License-Identifier: Apache-2.0

/// The state of one short convolution in one sequence: its most recent inputs, and a copy of them for every 32nd
/// position, so that the sequence can be cut back to any of these positions.
package final class ConvolutionHistory: Sendable {
    /// The distance between two positions to which a sequence can be cut back.
    package static let interval = 32

    /// The number of values in the state: `taps - 1` rows of `channels` values.
    let stateCount: Int
    let state: AlignedBuffer
    private let saved: AlignedBuffer

    /// Creates the state for an empty sequence.
    ///
    /// - Parameters:
    ///   - capacity: the largest number of positions in the sequence.
    ///   - channels: the number of values in an input.
    ///   - taps: the length of the convolution's kernel.
    /// - Throws: ``AllocationError`` if the system has too little memory.
    package init(capacity: Int, channels: Int, taps: Int) throws(AllocationError) {
        stateCount = (taps - 1) * channels
        state = try AlignedBuffer(zeroedFloats: stateCount)
        saved = try AlignedBuffer(
            byteCount: (capacity / Self.interval + 1) * stateCount * MemoryLayout<Float>.stride)
        saved.floats.initialize(repeating: 0, count: stateCount)
    }

    /// The memory that one layer's history needs, in bytes.
    package static func byteCount(capacity: Int, channels: Int, taps: Int) -> Int {
        (capacity / interval + 2) * (taps - 1) * channels * MemoryLayout<Float>.stride
    }

    /// The size of the history in bytes.
    package var byteCount: Int { state.byteCount + saved.byteCount }

    /// Restores the state at a position, which must be a multiple of ``interval`` that the sequence has reached before.
    package func restore(at position: Int) {
        state.floats.update(from: savedState(at: position), count: stateCount)
    }

    /// The size in bytes of the states at the positions up to `count`, a multiple of ``interval``.
    package func byteCount(of count: Int) -> Int { count / Self.interval * stateCount * MemoryLayout<Float>.stride }

    /// Passes the memory of the states at the positions up to `count`, a multiple of ``interval``, to be read or written.
    package func withPositions(_ count: Int, _ body: (UnsafeMutableRawBufferPointer) throws -> Void) rethrows {
        let states = UnsafeMutableRawBufferPointer(
            start: savedState(at: Self.interval), count: byteCount(of: count))
        precondition(
            count.isMultiple(of: Self.interval)
                && states.count + stateCount * MemoryLayout<Float>.stride <= saved.byteCount,
            "\(count) positions are not whole intervals of this history")
        if count > 0 { try body(states) }
    }

    /// Copies the states at the ends of some intervals of positions from another history of the same convolution.
    package func copy(_ positions: Range<Int>, of other: ConvolutionHistory) {
        let first = positions.lowerBound / Self.interval + 1
        let last = positions.upperBound / Self.interval
        let end = (last + 1) * stateCount * MemoryLayout<Float>.stride
        precondition(
            stateCount == other.stateCount && end <= min(saved.byteCount, other.saved.byteCount),
            "the positions \(positions) cannot be copied between these histories")
        guard first <= last else { return }
        savedState(at: first * Self.interval).update(
            from: other.savedState(at: first * Self.interval), count: (last + 1 - first) * stateCount)
    }

    func savedState(at position: Int) -> UnsafeMutablePointer<Float> {
        saved.floats + position / Self.interval * stateCount
    }
}
