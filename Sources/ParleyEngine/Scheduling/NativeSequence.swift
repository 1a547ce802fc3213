// SPDX-License-Identifier: Apache-2.0

import ParleyNetwork
import ParleyRuntime
import Synchronization

/// The state that the native engine keeps for a sequence: the caches of its layers.
package final class NativeSequence: SnapshotSequence {
    let cache: SequenceCache
    package let snapshotFormat: String

    /// The fewest positions whose memory is given back.
    private static let worthTrimming = 256

    private let capacity: Int
    /// The end of the positions that have memory.
    private let written = Atomic<Int>(0)
    private let reservation: SequenceReservation

    /// - Parameters:
    ///   - cache: the caches of the layers.
    ///   - capacity: the most tokens that it can hold.
    ///   - snapshotFormat: what snapshots of the caches depend on.
    ///   - reservation: the reserved memory, which the cache uses as the sequence grows.
    init(_ cache: SequenceCache, capacity: Int, snapshotFormat: String, _ reservation: SequenceReservation) {
        self.cache = cache
        self.snapshotFormat = snapshotFormat
        self.capacity = capacity
        self.reservation = reservation
    }

    package var rewindsExactly: Bool { cache.rewindsExactly }

    package func rewind(to position: Int, of count: Int) -> Int {
        position < count ? cache.rewind(to: position) : count
    }

    package func advance(to count: Int) {
        written.store(max(count, written.load(ordering: .relaxed)), ordering: .relaxed)
        reservation.reached(count, of: capacity)
    }

    package func trim(to count: Int) {
        let end = written.load(ordering: .relaxed)
        // Guesses are cut off after every token, and little is written again soon.
        guard end - count >= Self.worthTrimming || (count == 0 && end > 0) else { return }
        cache.giveBack(count..<end)
        written.store(count, ordering: .relaxed)
        reservation.returned(to: count, of: capacity)
    }

    package func copy(_ positions: Range<Int>, of donor: NativeSequence, within budget: inout Int) -> Int {
        cache.copy(positions, of: donor.cache, within: &budget)
    }

    package var snapshotInterval: Int { cache.snapshotInterval }

    package func snapshotByteCount(of count: Int) -> Int { cache.snapshotByteCount(of: count) }

    package func withSnapshot(of count: Int, _ body: (UnsafeMutableRawBufferPointer) throws -> Void) rethrows {
        try cache.withSnapshot(of: count, body)
    }
}
