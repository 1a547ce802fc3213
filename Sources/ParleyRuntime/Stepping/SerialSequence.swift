// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The state that is kept for a sequence in a library that runs one at a time: which one it is, and its memory.
package final class SerialSequence: EngineSequence {
    let number: Int
    let capacity: Int
    private let reservation: SequenceReservation
    /// Called when the sequence is deinitialised.
    private let release: @Sendable () -> Void

    init(_ number: Int, capacity: Int, _ reservation: SequenceReservation, release: @escaping @Sendable () -> Void) {
        self.number = number
        self.capacity = capacity
        self.reservation = reservation
        self.release = release
    }

    deinit {
        release()
    }

    package var rewindsExactly: Bool { true }

    /// The model's thread removes the positions at the next step.
    package func rewind(to position: Int, of count: Int) -> Int { position }

    package func advance(to count: Int) {
        reservation.reached(count, of: capacity)
    }
}

/// Numbers sequences, and remembers those that have been released until the model's thread frees them.
final class SequenceNumbers: Sendable {
    private let state = Mutex<(next: Int, released: [Int])>((0, []))

    /// The number of a new sequence.
    func take() -> Int {
        state.withLock { state in
            state.next += 1
            return state.next
        }
    }

    /// Called when a sequence is deinitialised.
    func release(_ number: Int) { state.withLock { $0.released.append(number) } }

    /// The sequences that have been released since the last call.
    func takeReleased() -> [Int] {
        state.withLock { state in
            defer { state.released.removeAll() }
            return state.released
        }
    }
}
