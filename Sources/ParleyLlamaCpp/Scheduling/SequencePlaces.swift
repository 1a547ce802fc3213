// SPDX-License-Identifier: Apache-2.0

#if LlamaCpp
    import ParleyRuntime
    import ParleySystem
    import Synchronization

    /// Assigns places in contexts to sequences, and reserves the memory of contexts that have not been created yet.
    final class SequencePlaces: Sendable {
        private struct State {
            var table: SequenceTable
            /// The reserved memory of contexts with assigned places that have not been created yet, by context number.
            var promised: [Int: MemoryReservation] = [:]
            /// Whether a place has been released since the last call of `contextsInUse()`.
            var wasReleased = false
        }

        private let shape: LlamaCppContext.Shape
        private let bytesPerContext: Int
        /// Only the ledger's locks are taken while this one is held.
        private let state: Mutex<State>

        /// Creates the places for contexts of the given sizes; the memory of the first context is already accounted
        /// for.
        init(_ shape: LlamaCppContext.Shape) {
            self.shape = shape
            let cache = shape.plan.cache(context: shape.length, sequences: shape.sequences)
            bytesPerContext = (cache + shape.plan.scratch).count
            state = Mutex(State(table: SequenceTable(perContext: shape.sequences)))
        }

        /// Assigns a free place.
        ///
        /// - Throws: `RuntimeError` if another context is needed and there is not enough memory for it.
        func take() throws -> SequencePlace {
            try state.withLock { state in
                let place = state.table.next
                if place.context > 0, !state.table.contextsInUse.contains(place.context) {
                    let (_, reservations) = try MemoryLedger.process.reserve { memory in
                        guard bytesPerContext <= memory.available else {
                            throw RuntimeError(
                                .insufficientMemory,
                                "\(shape.sequences) more sequences of \(shape.length) tokens take "
                                    + "\(ByteSize(clamping: bytesPerContext)), but "
                                    + "\(ByteSize(clamping: memory.available)) are left.")
                        }
                        return ((), bytes: [bytesPerContext])
                    }
                    state.promised[place.context] = reservations[0]
                }
                state.table.take(place)
                return place
            }
        }

        /// Releases a place.
        func release(_ place: SequencePlace) {
            state.withLock { state in
                state.table.free(place)
                state.wasReleased = true
            }
        }

        /// Ends the reservation for a context that has been created, whose memory the system now counts as used.
        func contextWasMade(_ number: Int) {
            state.withLock { $0.promised[number] = nil }
        }

        /// The contexts in which sequences have places; nil if no place has been released since the last call.
        func contextsInUse() -> Set<Int>? {
            state.withLock { state in
                guard state.wasReleased else { return nil }
                state.wasReleased = false
                let used = state.table.contextsInUse
                state.promised = state.promised.filter { used.contains($0.key) }
                return used
            }
        }
    }
#endif
