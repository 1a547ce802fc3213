// SPDX-License-Identifier: Apache-2.0

package import ParleySystem
import Synchronization

/// The memory of a model's sequences.
///
/// The memory of the first sequence is reserved when the model is loaded, so that a loaded model can be used. That of
/// each further sequence is reserved when the sequence is created, which fails if there is not enough.
package final class SequenceMemory: Sendable {
    private struct State {
        var count = 0
        var promised = 0
        /// The unused part of the memory that was reserved with the model.
        var spare: MemoryReservation?
    }

    private let ledger: MemoryLedger
    private let first: Int
    /// Only the ledger's locks are taken while this one is held.
    private let state: Mutex<State>

    /// Creates the memory of a model; `first` is the ledger's reservation for one sequence of the full context.
    package init(first: MemoryReservation, in ledger: MemoryLedger) {
        self.first = first.byteCount
        self.ledger = ledger
        state = Mutex(State(spare: first))
    }

    /// Reserves the memory of one more sequence.
    ///
    /// - Throws: ``RuntimeError`` with code `insufficientMemory`, with a list of what takes the memory.
    package func reserve(_ bytes: Int, tokens: Int) throws -> SequenceReservation {
        let reservation = try state.withLock { state in
            // The memory reserved with the model is used up first.
            let (_, reservations) = try ledger.reserve(inPlaceOf: state.spare) { memory in
                guard bytes <= memory.available else {
                    throw refusal(of: bytes, tokens: tokens, memory: memory, others: state.count)
                }
                return ((), bytes: [bytes, first - state.promised - bytes])
            }
            state.spare = reservations[1]
            state.count += 1
            state.promised += bytes
            return reservations[0]
        }
        return SequenceReservation(reservation, of: self)
    }

    fileprivate func giveBack(_ bytes: Int) {
        state.withLock { state in
            state.count -= 1
            state.promised -= bytes
            state.spare = MemoryReservation(first - state.promised, in: ledger)
        }
    }

    private func refusal(of bytes: Int, tokens: Int, memory: MachineMemory, others: Int) -> RuntimeError {
        let promised = ledger.unwrittenBytes
        return RuntimeError(
            .insufficientMemory,
            "A sequence of \(tokens) tokens takes \(bytes >> 20) MiB, but \(memory.available >> 20) MiB are left: "
                + "\((memory.available + promised) >> 20) MiB are available, of which \(promised >> 20) MiB are promised "
                + "to what has been loaded, this model's \(others) other sequences included. End a conversation, keep "
                + "fewer of them, or load the model with a shorter context.")
    }
}

/// The memory of one sequence, which is released with the last reference to this object.
package final class SequenceReservation: Sendable {
    private let memory: MemoryReservation
    private let owner: SequenceMemory

    fileprivate init(_ memory: MemoryReservation, of owner: SequenceMemory) {
        self.memory = memory
        self.owner = owner
    }

    deinit {
        owner.giveBack(memory.byteCount)
    }

    /// Records that only the first `position` of `capacity` positions still have memory; calls must not overlap.
    package func returned(to position: Int, of capacity: Int) {
        memory.returned(to: position, of: capacity)
    }

    /// Records that the first `position` of `capacity` positions have been written; calls must not overlap.
    package func reached(_ position: Int, of capacity: Int) {
        memory.reached(position, of: capacity)
    }
}
