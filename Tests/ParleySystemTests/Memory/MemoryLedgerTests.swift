// SPDX-License-Identifier: Apache-2.0

import ParleySystem
import Testing

@Suite("Memory ledger")
struct MemoryLedgerTests {
    private let ledger = MemoryLedger { MachineMemory(physical: 1_000, available: 600) }

    private var available: Int {
        get throws { try ledger.reserve { (($0.available), bytes: []) }.0 }
    }

    private func reserve(_ bytes: Int...) throws -> [MemoryReservation] {
        try ledger.reserve { _ in ((), bytes: bytes) }.1
    }

    @Test("what was promised is not available until it is written, and then the system counts it")
    func promises() throws {
        var reservations = try reserve(200, 100)
        #expect(try available == 300)
        reservations[0].reached(1, of: 2)
        #expect(try available == 400)
        reservations[0].reached(0, of: 2)
        #expect(try available == 400)
        reservations[0].reached(5, of: 2)
        #expect(try available == 500)
        reservations.removeLast()
        #expect(try available == 600)
        reservations.removeAll()
        #expect(ledger.unwrittenBytes == 0)
    }

    @Test("more than there is leaves nothing, and sizes of no meaning are none")
    func extremes() throws {
        var reservations = try reserve(5_000, -7, 0)
        #expect(try available == 0)
        reservations[1].reached(3, of: 0)
        reservations[2].reached(3, of: -1)
        reservations.removeAll()
        #expect(try available == 600)
    }

    @Test("where nothing is chosen, nothing is reserved")
    func throwsThrough() throws {
        #expect(throws: CancellationError.self) {
            try ledger.reserve { _ -> (Int, bytes: [Int]) in throw CancellationError() }
        }
        #expect(ledger.unwrittenBytes == 0)
    }
}
