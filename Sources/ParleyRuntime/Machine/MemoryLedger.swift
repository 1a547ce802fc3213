// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// What this process has promised to hold in memory and has not written yet.
///
/// The system counts memory as available until it is first written. So whatever will take much reserves it here first:
/// then all that was promised fits together, and what does not is refused before, rather than the process being killed
/// when the last page is touched.
package final class MemoryLedger: Sendable {
    /// The one of this process, whose models share its memory.
    package static let process = MemoryLedger { .current() }

    private let reading: @Sendable () -> MachineMemory
    /// Held while it is decided what fits, so that the same memory is not promised twice.
    private let deciding = Mutex(())
    private let unwritten = Atomic<Int>(0)

    /// Creates a ledger in which nothing is promised.
    ///
    /// - Parameter reading: tells what the machine has.
    package init(reading: @escaping @Sendable () -> MachineMemory) {
        self.reading = reading
    }

    /// The bytes that were promised and have not been written.
    package var unwrittenBytes: Int { unwritten.load(ordering: .sequentiallyConsistent) }

    /// Reserves what `choose` finds to fit.
    ///
    /// - Parameters:
    ///   - former: a reservation that the new ones take the place of, and of which nothing has been written.
    ///   - choose: is told the machine's memory, of which only that is available that has not been promised; returns what
    ///     it has chosen and the bytes of each reservation.
    /// - Throws: what `choose` throws; nothing is reserved then.
    package func reserve<Value>(
        inPlaceOf former: MemoryReservation? = nil, _ choose: (MachineMemory) throws -> (Value, bytes: [Int])
    ) throws -> (Value, [MemoryReservation]) {
        try deciding.withLock { _ in
            // Read first: what is written meanwhile is then counted twice rather than not at all.
            let promised = unwrittenBytes - (former?.byteCount ?? 0)
            var memory = reading()
            memory.available = max(memory.available - promised, 0)
            let (value, bytes) = try choose(memory)
            return (value, bytes.map { MemoryReservation($0, in: self) })
        }
    }

    fileprivate func add(_ bytes: Int) {
        unwritten.wrappingAdd(bytes, ordering: .sequentiallyConsistent)
    }
}

/// Memory that was promised; it is given back with the last reference to it.
package final class MemoryReservation: Sendable {
    /// The size in bytes.
    package let byteCount: Int

    private let ledger: MemoryLedger
    private let written = Atomic<Int>(0)

    /// Reserves without asking whether it fits.
    package init(_ byteCount: Int, in ledger: MemoryLedger) {
        self.byteCount = max(byteCount, 0)
        self.ledger = ledger
        ledger.add(self.byteCount)
    }

    deinit {
        ledger.add(written.load(ordering: .relaxed) - byteCount)
    }

    /// Notes that the first `part` of `whole` equal parts have been written: the system counts them by now. From one
    /// thread at a time.
    package func reached(_ part: Int, of whole: Int) {
        guard whole > 0 else { return }
        let bytes = part >= whole ? byteCount : byteCount / whole * part
        let more = bytes - written.load(ordering: .relaxed)
        guard more > 0 else { return }
        written.store(bytes, ordering: .relaxed)
        ledger.add(-more)
    }
}
