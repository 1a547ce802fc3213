// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The memory that this process has reserved and has not written yet.
///
/// The system counts memory as available until it is first written. So large allocations are reserved here first: then
/// all reservations fit together, and one that does not fit is refused, rather than the process being killed when the
/// last page is written.
package final class MemoryLedger: Sendable {
    /// The ledger of this process, whose models share its memory.
    package static let process = MemoryLedger { .current() }

    private let reading: @Sendable () -> MachineMemory
    /// Held while a reservation is decided, so that the same memory is not reserved twice.
    private let deciding = Mutex(())
    private let unwritten = Atomic<Int>(0)

    /// Creates a ledger without reservations.
    ///
    /// - Parameter reading: tells what the machine has.
    package init(reading: @escaping @Sendable () -> MachineMemory) {
        self.reading = reading
    }

    /// The bytes that were reserved and have not been written.
    package var unwrittenBytes: Int { unwritten.load(ordering: .sequentiallyConsistent) }

    /// Reserves what `choose` finds to fit.
    ///
    /// - Parameters:
    ///   - former: a reservation that the new ones replace, of which nothing has been written.
    ///   - choose: is given the machine's memory, less what is reserved; returns what it has chosen and the bytes of
    ///     each reservation.
    /// - Returns: what `choose` has chosen, and the reservations.
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

/// Memory that was reserved; it is given back with the last reference to it.
package final class MemoryReservation: Sendable {
    /// The size in bytes.
    package let byteCount: Int

    private let ledger: MemoryLedger
    private let written = Atomic<Int>(0)

    /// Reserves without checking whether it fits.
    package init(_ byteCount: Int, in ledger: MemoryLedger) {
        self.byteCount = max(byteCount, 0)
        self.ledger = ledger
        ledger.add(self.byteCount)
    }

    deinit {
        ledger.add(written.load(ordering: .relaxed) - byteCount)
    }

    /// Records that the first `part` of `whole` equal parts have been written, which the system now counts itself. From
    /// one thread at a time.
    package func reached(_ part: Int, of whole: Int) {
        guard whole > 0 else { return }
        let bytes = part >= whole ? byteCount : byteCount / whole * part
        let more = bytes - written.load(ordering: .relaxed)
        guard more > 0 else { return }
        written.store(bytes, ordering: .relaxed)
        ledger.add(-more)
    }
}
