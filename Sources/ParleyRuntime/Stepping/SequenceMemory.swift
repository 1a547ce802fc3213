// SPDX-License-Identifier: Apache-2.0

package import ParleySystem
import Synchronization

/// The memory of a model's sequences.
///
/// The memory of the first sequence is reserved when the model is loaded, so that a loaded model can be used. That of
/// each further sequence is reserved when the sequence is created, which fails if there is not enough. Where a limit
/// holds for what all sequences together will ever have written, no more than that is reserved for them.
package final class SequenceMemory: Sendable {
    private struct State {
        var count = 0
        var promised = 0
        /// The unused part of the memory that was reserved with the model.
        var spare: MemoryReservation?
        /// What is reserved for all of them together, if they have a limit.
        var common: CommonReservation?
    }

    private let ledger: MemoryLedger
    private let first: Int
    private let limit: Int?
    /// Only the locks of the ledger and its reservations are taken while this one is held.
    private let state: Mutex<State>

    /// Creates the memory of a model.
    ///
    /// - Parameters:
    ///   - first: the ledger's reservation for one sequence of the full context.
    ///   - ledger: the ledger.
    ///   - limit: the most bytes that all sequences will have written at any time, for which others see to it; nil if
    ///     each may write all that it has.
    package init(first: MemoryReservation, in ledger: MemoryLedger, limit: Int? = nil) {
        self.first = first.byteCount
        self.ledger = ledger
        self.limit = limit.map { max($0, 0) }
        state = Mutex(
            State(
                spare: limit == nil ? first : nil,
                common: limit.map { CommonReservation(min(first.byteCount, $0), in: ledger) }))
    }

    /// Reserves the memory of one more sequence.
    ///
    /// - Throws: ``RuntimeError`` with code `insufficientMemory`, with a list of what takes the memory.
    package func reserve(_ bytes: Int, tokens: Int) throws -> SequenceReservation {
        let reservation = try state.withLock { state -> SequenceReservation.Kind in
            if let limit, let common = state.common {
                let more = min(state.promised + bytes, limit) - common.size
                if more > 0 {
                    _ = try ledger.reserve { memory in
                        guard more <= memory.available else {
                            throw refusal(of: more, tokens: tokens, memory: memory, others: state.count)
                        }
                        common.resize(to: common.size + more)
                        return ((), bytes: [])
                    }
                }
                state.count += 1
                state.promised += bytes
                return .part(common, bytes)
            }
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
            return .own(reservations[0])
        }
        return SequenceReservation(reservation, of: self)
    }

    fileprivate func giveBack(_ bytes: Int) {
        state.withLock { state in
            state.count -= 1
            state.promised -= bytes
            if let limit, let common = state.common {
                return common.resize(to: max(min(state.promised, limit), min(first, limit)))
            }
            state.spare = MemoryReservation(first - state.promised, in: ledger)
        }
    }

    private func refusal(of bytes: Int, tokens: Int, memory: MachineMemory, others: Int) -> RuntimeError {
        let (left, promised) = (ByteSize(clamping: memory.available), ByteSize(clamping: ledger.unwrittenBytes))
        return RuntimeError(
            .insufficientMemory,
            "A sequence of \(tokens) tokens takes \(ByteSize(clamping: bytes)), but \(left) are left: \(left + promised) are "
                + "available, of which \(promised) are promised to what has been loaded, this model's \(others) other "
                + "sequences included. End a conversation, keep fewer of them, or load the model with a shorter context."
        )
    }
}

/// The memory of one sequence, which is released with the last reference to this object.
package final class SequenceReservation: Sendable {
    fileprivate enum Kind: Sendable {
        /// It is reserved for this sequence alone.
        case own(MemoryReservation)
        /// So many bytes, which are reserved for all sequences together as far as they will be written.
        case part(CommonReservation, Int)
    }

    private let kind: Kind
    private let owner: SequenceMemory
    /// How much of a common reservation this sequence has written.
    private let written = Atomic<Int>(0)

    fileprivate init(_ kind: Kind, of owner: SequenceMemory) {
        self.kind = kind
        self.owner = owner
    }

    deinit {
        switch kind {
        case .own(let memory): owner.giveBack(memory.byteCount)
        case .part(let common, let bytes):
            common.wrote(-written.load(ordering: .relaxed))
            owner.giveBack(bytes)
        }
    }

    /// Records that only the first `position` of `capacity` positions still have memory; calls must not overlap.
    package func returned(to position: Int, of capacity: Int) {
        switch kind {
        case .own(let memory): memory.returned(to: position, of: capacity)
        case .part(let common, let bytes):
            set(min(Self.part(of: bytes, position, capacity), written.load(ordering: .relaxed)), of: common)
        }
    }

    /// Records that the first `position` of `capacity` positions have been written; calls must not overlap.
    package func reached(_ position: Int, of capacity: Int) {
        switch kind {
        case .own(let memory): memory.reached(position, of: capacity)
        case .part(let common, let bytes):
            set(max(Self.part(of: bytes, position, capacity), written.load(ordering: .relaxed)), of: common)
        }
    }

    private func set(_ bytes: Int, of common: CommonReservation) {
        common.wrote(bytes - written.exchange(bytes, ordering: .relaxed))
    }

    private static func part(of bytes: Int, _ position: Int, _ capacity: Int) -> Int {
        guard capacity > 0 else { return 0 }
        return position >= capacity ? bytes : bytes / capacity * max(position, 0)
    }
}
