// SPDX-License-Identifier: Apache-2.0

import ParleyNetwork
import ParleyRuntime

/// The state that the native engine keeps for a sequence: the caches of its layers.
package final class NativeSequence: EngineSequence {
    let cache: SequenceCache

    private let capacity: Int
    private let reservation: SequenceReservation

    /// - Parameters:
    ///   - cache: the caches of the layers.
    ///   - capacity: the most tokens that it can hold.
    ///   - reservation: the reserved memory, which the cache uses as the sequence grows.
    init(_ cache: SequenceCache, capacity: Int, _ reservation: SequenceReservation) {
        self.cache = cache
        self.capacity = capacity
        self.reservation = reservation
    }

    package var rewindsExactly: Bool { cache.rewindsExactly }

    package func rewind(to position: Int, of count: Int) -> Int {
        position < count ? cache.rewind(to: position) : count
    }

    package func advance(to count: Int) {
        reservation.reached(count, of: capacity)
    }
}
