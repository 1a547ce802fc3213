// SPDX-License-Identifier: Apache-2.0

import ParleySpeech
import ParleySystem

extension MemoryLedger {
    /// Promises memory that a request takes beside what its model has.
    ///
    /// - Parameters:
    ///   - bytes: how much it is.
    ///   - purpose: for what, for messages: "To follow 5 texts at once".
    ///   - remedy: what may be asked for instead.
    /// - Returns: the reservation.
    /// - Throws: `SpeechError` with code `insufficientMemory`.
    func reserve(_ bytes: ByteSize, for purpose: String, remedy: String) throws -> MemoryReservation {
        let (_, reservations) = try reserve { memory in
            guard bytes.fits(into: memory.available) else {
                throw SpeechError(
                    .insufficientMemory,
                    "\(purpose) takes \(bytes), but \(ByteSize(clamping: memory.available)) are available. \(remedy), or "
                        + "close other programs.")
            }
            return ((), bytes: [bytes.count])
        }
        return reservations[0]
    }
}
