// SPDX-License-Identifier: Apache-2.0

import ParleyEngine
import ParleyEngineCases
import ParleyRuntime
import ParleySystem
import ParleyTensor
import ParleyTesting
import ParleyTokenizer
import Testing

@Suite("Memory of positions that were cut off")
struct TrimmingTests {
    @Test("It goes back to the system, and is reserved until it is written again")
    func reserved() async throws {
        let ledger = MemoryLedger { MachineMemory(physical: 1 << 34, available: 1 << 34) }
        var tiny = TinyModel()
        (tiny.layers, tiny.heads, tiny.keyValueHeads) = (1, 4, 4)
        let model = try await NativeModel.load(tiny.writer(), ledger: ledger)
        let timeline = try model.makeTimeline()
        let before = ledger.unwrittenBytes
        let tokens = randomTokens(500, vocabulary: model.info.vocabularySize)
        try await timeline.step(TimelineStep(tokens: tokens, positions: .none), into: LogitRows())
        let full = ledger.unwrittenBytes
        #expect(full < before)
        timeline.rewind(to: 400)
        #expect(ledger.unwrittenBytes == full, "a small cut is soon written again")
        timeline.rewind(to: 100)
        let cut = ledger.unwrittenBytes
        #expect(cut > full && cut < before)
        try await timeline.step(TimelineStep(tokens: Array(tokens[100...]), positions: .none), into: LogitRows())
        #expect(ledger.unwrittenBytes == full)
        timeline.rewind(to: 0)
        #expect(ledger.unwrittenBytes >= cut)
    }

    @Test("Whole pages of a buffer come back empty, and the rest stays")
    func pages() throws {
        let buffer = try AlignedBuffer(byteCount: 1 << 20)
        let bytes = UnsafeMutableRawBufferPointer(start: buffer.pointer, count: 1 << 20)
        bytes.initializeMemory(as: UInt8.self, repeating: 7)
        buffer.giveBack(100..<(1 << 19) + 100)
        #expect(bytes[..<100].allSatisfy { $0 == 7 })
        #expect(bytes[((1 << 19) + 100)...].allSatisfy { $0 == 7 })
        #if os(Linux)
            #expect(bytes[1 << 18] == 0)
        #endif
        bytes.initializeMemory(as: UInt8.self, repeating: 8)
        #expect(bytes.allSatisfy { $0 == 8 })
        try AlignedBuffer(byteCount: 1_000).giveBack(0..<1_000)
    }
}
