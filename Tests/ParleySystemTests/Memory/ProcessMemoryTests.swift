// SPDX-License-Identifier: Apache-2.0

import ParleySystem
import Testing

@Suite("The memory of this process")
struct ProcessMemoryTests {
    @Test("is more than nothing, and grows by what is written to")
    func grows() async {
        // In a process of its own, for other tests give memory back meanwhile.
        await #expect(processExitsWith: .success) {
            let before = try #require(ProcessMemory.resident())
            #expect(before > 1 << 20)
            let block = [UInt8](repeating: 1, count: 64 << 20)
            let after = try #require(ProcessMemory.resident())
            #expect(block[block.count - 1] == 1)
            #expect(after > before + (32 << 20))
        }
    }
}
