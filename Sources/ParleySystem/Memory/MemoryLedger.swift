// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A record of the memory that this process has reserved but not yet written.
///
/// The system counts allocated memory as available until it is first written. Large allocations are therefore reserved
/// in this ledger first: an allocation that does not fit beside the others is refused, instead of the system killing
/// the process when the memory is written.
package final class MemoryLedger: Sendable {
    /// The ledger of this process, in which all its models reserve memory.
    package static let process = MemoryLedger { .current() }

    private let reading: @Sendable () -> MachineMemory
    /// Locked while a reservation is decided, so that two reservations do not count on the same memory.
    private let deciding = Mutex(())
    private let unwritten = Atomic<Int>(0)

    /// Creates a ledger without reservations.
    ///
    /// - Parameter reading: returns the machine's memory.
    package init(reading: @escaping @Sendable () -> MachineMemory) {
        self.reading = reading
    }

    /// The number of bytes that are reserved but not yet written.
    package var unwrittenBytes: Int { unwritten.load(ordering: .sequentiallyConsistent) }

    /// Reserves memory of sizes that `choose` selects to fit.
    ///
    /// - Parameters:
    ///   - former: a reservation that the new ones replace, and of which nothing has been written.
    ///   - choose: is given the machine's memory minus the reservations; returns a value and the size of each
    ///     reservation in bytes.
    /// - Returns: the value that `choose` returned, and the reservations.
    /// - Throws: the error that `choose` throws; nothing is then reserved.
    package func reserve<Value>(
        inPlaceOf former: MemoryReservation? = nil, _ choose: (MachineMemory) throws -> (Value, bytes: [Int])
    ) throws -> (Value, [MemoryReservation]) {
        try deciding.withLock { _ in
            // The ledger is read before the machine's memory: bytes written in between are then counted twice rather
            // than not at all.
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

/// A reservation of memory, which ends with the last reference to it.
package final class MemoryReservation: Sendable {
    /// The size in bytes.
    package let byteCount: Int

    private let ledger: MemoryLedger
    private let written = Atomic<Int>(0)

    /// Reserves memory without checking whether it fits.
    package init(_ byteCount: Int, in ledger: MemoryLedger) {
        self.byteCount = max(byteCount, 0)
        self.ledger = ledger
        ledger.add(self.byteCount)
    }

    deinit {
        ledger.add(written.load(ordering: .relaxed) - byteCount)
    }

    /// Records that all but the first `part` of `whole` equal parts have been given back to the system, and may be written
    /// again; must be called by one thread at a time.
    package func returned(to part: Int, of whole: Int) {
        guard whole > 0 else { return }
        let bytes = part >= whole ? byteCount : byteCount / whole * max(part, 0)
        let fewer = written.load(ordering: .relaxed) - bytes
        guard fewer > 0 else { return }
        written.store(bytes, ordering: .relaxed)
        ledger.add(fewer)
    }

    /// Records that the first `part` of `whole` equal parts have been written, so that the system counts them itself;
    /// must be called by one thread at a time.
    package func reached(_ part: Int, of whole: Int) {
        guard whole > 0 else { return }
        let bytes = part >= whole ? byteCount : byteCount / whole * part
        let more = bytes - written.load(ordering: .relaxed)
        guard more > 0 else { return }
        written.store(bytes, ordering: .relaxed)
        ledger.add(-more)
    }
}

/// Memory that is reserved for several users together, who will not have written all that each of them has at the same
/// time; it ends with the last reference to it.
package final class CommonReservation: Sendable {
    private struct State {
        var size: Int
        /// May be more than the size for a moment.
        var written = 0

        var unwritten: Int { max(size - written, 0) }
    }

    private let ledger: MemoryLedger
    /// No other lock is taken while this one is held.
    private let state: Mutex<State>

    /// Reserves memory without checking whether it fits.
    package init(_ size: Int, in ledger: MemoryLedger) {
        self.ledger = ledger
        state = Mutex(State(size: max(size, 0)))
        ledger.add(max(size, 0))
    }

    deinit {
        ledger.add(-state.withLock { $0.unwritten })
    }

    /// The number of bytes that are reserved.
    package var size: Int { state.withLock { $0.size } }

    /// Changes how much is reserved, without checking whether it fits.
    package func resize(to size: Int) { change { $0.size = max(size, 0) } }

    /// Records that a user has written so many bytes more, or has given so many back if the number is negative.
    package func wrote(_ bytes: Int) {
        if bytes != 0 { change { $0.written += bytes } }
    }

    private func change(_ body: (inout State) -> Void) {
        let difference = state.withLock { state in
            let before = state.unwritten
            body(&state)
            return state.unwritten - before
        }
        if difference != 0 { ledger.add(difference) }
    }
}
