// SPDX-License-Identifier: Apache-2.0

import ParleyTensor
import Testing

@Suite("Aligned buffers")
struct AlignedBufferTests {
    @Test("memory begins at a multiple of 64 bytes", arguments: [0, 1, 3, 64, 1_000, 1 << 20])
    func isAligned(bytes: Int) {
        let buffer = AlignedBuffer(byteCount: bytes)
        #expect(buffer.byteCount == bytes)
        #expect(UInt(bitPattern: buffer.pointer) % UInt(AlignedBuffer.alignment) == 0)
    }

    @Test("floats begin as zero", arguments: [0, 1, 17, 4_096])
    func isZeroed(count: Int) {
        let buffer = AlignedBuffer(zeroedFloats: count)
        #expect(buffer.byteCount == 4 * count)
        #expect((0..<count).allSatisfy { buffer.floats[$0] == 0 })
    }

    @Test("a tensor of any type can be read as floats, in order")
    func readsTensors() throws {
        let pool = WorkerPool(lanes: 1)
        let halves: [UInt16] = [0x3C00, 0xBC00, 0x0001, 0x7BFF]
        let floats = try halves.withUnsafeBytes { bytes in
            try #require(AlignedBuffer(floatsOf: .f16, count: 4, source: bytes, pool: pool))
        }
        #expect((0..<4).map { floats.floats[$0] } == [1, -1, 0x1p-24, 65_504])
        #expect(halves.withUnsafeBytes { AlignedBuffer(floatsOf: .f16, count: 5, source: $0, pool: pool) } == nil)
        #expect(halves.withUnsafeBytes { AlignedBuffer(floatsOf: .q8_0, count: 4, source: $0, pool: pool) } == nil)
    }
}
