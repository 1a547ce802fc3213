// SPDX-License-Identifier: Apache-2.0

#if ONNX
    package import ParleyRuntime

    /// The state that is kept for a sequence in ONNX Runtime: which one it is, and its memory.
    package final class ONNXSequence: EngineSequence {
        let number: Int
        let capacity: Int
        private let reservation: SequenceReservation
        /// Called when the sequence is deinitialised.
        private let release: @Sendable () -> Void

        init(
            _ number: Int, capacity: Int, _ reservation: SequenceReservation, release: @escaping @Sendable () -> Void
        ) {
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
#endif
