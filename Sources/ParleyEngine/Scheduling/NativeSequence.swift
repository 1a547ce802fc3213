// SPDX-License-Identifier: Apache-2.0

import ParleyNetwork
import ParleyRuntime

/// What the native engine keeps of a sequence: the memory of its layers.
package final class NativeSequence: EngineSequence {
    let cache: SequenceCache

    private let capacity: Int
    private let reservation: SequenceReservation

    /// - Parameters:
    ///   - cache: the memory of the layers.
    ///   - capacity: the tokens that it holds at most.
    ///   - reservation: the reserved memory, which the cache takes as the sequence grows.
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
