// SPDX-License-Identifier: Apache-2.0

import ParleyRuntime
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

    @Test("reserved memory is not available until it is written, and then the system counts it")
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

    @Test("reserving more than is available leaves nothing, and invalid sizes count as none")
    func extremes() throws {
        var reservations = try reserve(5_000, -7, 0)
        #expect(try available == 0)
        reservations[1].reached(3, of: 0)
        reservations[2].reached(3, of: -1)
        reservations.removeAll()
        #expect(try available == 600)
    }

    @Test("without an amount nothing is reserved")
    func throwsThrough() throws {
        #expect(throws: RuntimeError.self) {
            try ledger.reserve { _ -> (Int, bytes: [Int]) in throw RuntimeError(.insufficientMemory, "") }
        }
        #expect(ledger.unwrittenBytes == 0)
    }

    @Test("the memory of a model's first sequence is reserved; further ones have to fit beside it")
    func sequences() throws {
        let memory = SequenceMemory(first: try reserve(250)[0], in: ledger)
        #expect(try available == 350)
        var held = [try memory.reserve(100, tokens: 40), try memory.reserve(150, tokens: 60)]
        #expect(try available == 350)
        held.append(try memory.reserve(300, tokens: 120))
        #expect(try available == 50)
        let error = #expect(throws: RuntimeError.self) { _ = try memory.reserve(51 << 20, tokens: 777) }
        #expect(error?.code == .insufficientMemory)
        for part in ["777 tokens", "51 MiB", "3 other sequences"] {
            #expect(error?.message.contains(part) == true, "“\(part)” is not in “\(error?.message ?? "")”")
        }
        #expect(try available == 50)
        held[2].reached(1, of: 3)
        #expect(try available == 150)
        held.append(try memory.reserve(150, tokens: 60))
        #expect(try available == 0)
        held.removeAll()
        #expect(try available == 350)
    }

    @Test("a model's first sequence is refused too if its memory is no longer available")
    func firstSequence() throws {
        let memory = SequenceMemory(first: try reserve(900)[0], in: ledger)
        #expect(throws: RuntimeError.self) { try memory.reserve(601, tokens: 1) }
        let small = try memory.reserve(600, tokens: 1)
        #expect(ledger.unwrittenBytes == 900)
        withExtendedLifetime(small) {}
    }
}
