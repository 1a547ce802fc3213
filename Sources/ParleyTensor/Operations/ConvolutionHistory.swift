// SPDX-License-Identifier: Apache-2.0

/// The state of one short convolution for a sequence: its last inputs, and a copy of them at every 32nd position, to
/// which the sequence can be cut back.
package final class ConvolutionHistory: Sendable {
    /// The distance of the positions to which a sequence can be cut back.
    package static let interval = 32

    /// The number of values of the state: `taps - 1` rows of `channels`.
    let stateCount: Int
    let state: AlignedBuffer
    private let saved: AlignedBuffer

    /// Creates the history of an empty sequence.
    ///
    /// - Parameters:
    ///   - capacity: the positions of the sequence.
    ///   - channels: the width of an input.
    ///   - taps: the length of the kernel.
    /// - Throws: ``AllocationError`` where the system has no memory for it.
    package init(capacity: Int, channels: Int, taps: Int) throws(AllocationError) {
        stateCount = (taps - 1) * channels
        state = try AlignedBuffer(zeroedFloats: stateCount)
        saved = try AlignedBuffer(
            byteCount: (capacity / Self.interval + 1) * stateCount * MemoryLayout<Float>.stride)
        saved.floats.initialize(repeating: 0, count: stateCount)
    }

    /// The bytes of one layer's history.
    package static func byteCount(capacity: Int, channels: Int, taps: Int) -> Int {
        (capacity / interval + 2) * (taps - 1) * channels * MemoryLayout<Float>.stride
    }

    /// The bytes the history takes in memory.
    package var byteCount: Int { state.byteCount + saved.byteCount }

    /// Cuts back to a position that is a multiple of ``interval`` and was reached before.
    package func restore(at position: Int) {
        state.floats.update(from: savedState(at: position), count: stateCount)
    }

    func savedState(at position: Int) -> UnsafeMutablePointer<Float> {
        saved.floats + position / Self.interval * stateCount
    }
}
