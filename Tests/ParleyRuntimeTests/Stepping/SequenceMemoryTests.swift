// SPDX-License-Identifier: Apache-2.0

import ParleyRuntime
import ParleySystem
import Testing

@Suite("Sequence memory")
struct SequenceMemoryTests {
    private let ledger = MemoryLedger { MachineMemory(physical: 1_000, available: 600) }

    private var available: Int {
        get throws { try ledger.reserve { (($0.available), bytes: []) }.0 }
    }

    private func first(_ bytes: Int) throws -> SequenceMemory {
        SequenceMemory(first: try ledger.reserve { _ in ((), bytes: [bytes]) }.1[0], in: ledger)
    }

    @Test("the memory of a model's first sequence is reserved; further ones have to fit beside it")
    func sequences() throws {
        let memory = try first(250)
        #expect(try available == 350)
        var held = [try memory.reserve(100, tokens: 40), try memory.reserve(150, tokens: 60)]
        #expect(try available == 350)
        held.append(try memory.reserve(300, tokens: 120))
        #expect(try available == 50)
        let error = #expect(throws: RuntimeError.self) { _ = try memory.reserve(51 << 20, tokens: 777) }
        #expect(error?.code == .insufficientMemory)
        for part in ["777 tokens", "53 MB", "3 other sequences"] {
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
        let memory = try first(900)
        #expect(throws: RuntimeError.self) { try memory.reserve(601, tokens: 1) }
        let small = try memory.reserve(600, tokens: 1)
        #expect(ledger.unwrittenBytes == 900)
        withExtendedLifetime(small) {}
    }

    @Test("where all sequences together have a limit, no more than that is reserved for them")
    func limit() throws {
        let memory = SequenceMemory(
            first: try ledger.reserve { _ in ((), bytes: [100]) }.1[0], in: ledger, limit: 250)
        #expect(try available == 500)
        var held = try (0..<64).map { _ in try memory.reserve(100, tokens: 10) }
        #expect(try available == 350)
        // What is written is counted by the system, whoever writes it.
        held[50].reached(5, of: 10)
        held[60].reached(10, of: 10)
        #expect(ledger.unwrittenBytes == 100)
        held[60].returned(to: 2, of: 10)
        #expect(ledger.unwrittenBytes == 180)
        held[60].reached(1, of: 10)
        #expect(ledger.unwrittenBytes == 180)
        // More than the limit is written for a moment.
        for one in held[..<3] { one.reached(10, of: 10) }
        #expect(ledger.unwrittenBytes == 0)
        held.removeSubrange(2...)
        #expect(ledger.unwrittenBytes == 0)
        held.removeLast()
        #expect(ledger.unwrittenBytes == 0)
        held.removeAll()
        #expect(ledger.unwrittenBytes == 100)
    }

    @Test("a sequence that would exceed what is available is refused, also below the limit")
    func refusedBelowLimit() throws {
        let memory = SequenceMemory(
            first: try ledger.reserve { _ in ((), bytes: [300]) }.1[0], in: ledger, limit: 100_000)
        let held = try (0..<2).map { _ in try memory.reserve(300, tokens: 10) }
        #expect(throws: RuntimeError.self) { try memory.reserve(1, tokens: 10) }
        #expect(ledger.unwrittenBytes == 600)
        withExtendedLifetime(held) {}
    }
}
