// SPDX-License-Identifier: Apache-2.0

#if LlamaCpp
    import ParleyRuntime
    import ParleySystem
    import Synchronization

    /// Gives sequences their places in contexts, and reserves the memory of contexts that are not made yet.
    final class SequencePlaces: Sendable {
        private struct State {
            var table: SequenceTable
            /// The memory of contexts that sequences have places in and that are not made yet, by number.
            var promised: [Int: MemoryReservation] = [:]
            /// Whether a place has been given back that nobody has looked at.
            var wasReleased = false
        }

        private let shape: LlamaCppContext.Shape
        private let bytesPerContext: Int
        /// Only the ledger's locks are taken while it is held.
        private let state: Mutex<State>

        /// Creates places in contexts of a size; the first context has its memory.
        init(_ shape: LlamaCppContext.Shape, bytesPerContext: Int) {
            self.shape = shape
            self.bytesPerContext = bytesPerContext
            state = Mutex(State(table: SequenceTable(perContext: shape.sequences)))
        }

        /// Takes a place.
        ///
        /// - Throws: `RuntimeError` where there is no memory for one more context.
        func take() throws -> SequencePlace {
            try state.withLock { state in
                let place = state.table.next
                if place.context > 0, !state.table.contextsInUse.contains(place.context) {
                    let (_, reservations) = try MemoryLedger.process.reserve { memory in
                        guard bytesPerContext <= memory.available else {
                            throw RuntimeError(
                                .insufficientMemory,
                                "\(shape.sequences) more sequences of \(shape.length) tokens take "
                                    + "\(bytesPerContext >> 20) MiB, but \(memory.available >> 20) MiB are left.")
                        }
                        return ((), bytes: [bytesPerContext])
                    }
                    state.promised[place.context] = reservations[0]
                }
                state.table.take(place)
                return place
            }
        }

        /// Gives a place back.
        func release(_ place: SequencePlace) {
            state.withLock { state in
                state.table.free(place)
                state.wasReleased = true
            }
        }

        /// Records that a context has been made, whose memory the system counts now.
        func contextWasMade(_ number: Int) {
            state.withLock { $0.promised[number] = nil }
        }

        /// The contexts that still have sequences; nil where no place has been given back since the last call.
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
