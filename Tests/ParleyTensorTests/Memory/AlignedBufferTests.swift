// SPDX-License-Identifier: Apache-2.0

import CParleyKernels
import ParleySystem
import ParleyTensor
import ParleyTestSupport
import Testing

@Suite("Aligned buffers")
struct AlignedBufferTests {
    @Test("memory begins at a multiple of 64 bytes", arguments: [0, 1, 3, 64, 1_000, 1 << 20])
    func isAligned(bytes: Int) throws {
        let buffer = try AlignedBuffer(byteCount: bytes)
        #expect(buffer.byteCount == bytes)
        #expect(UInt(bitPattern: buffer.pointer) % UInt(AlignedBuffer.alignment) == 0)
    }

    @Test("floats begin as zero", arguments: [0, 1, 17, 4_096])
    func isZeroed(count: Int) throws {
        let buffer = try AlignedBuffer(zeroedFloats: count)
        #expect(buffer.byteCount == 4 * count)
        #expect((0..<count).allSatisfy { buffer.floats[$0] == 0 })
    }

    @Test("a tensor of any type can be read as floats, in order")
    func readsTensors() throws {
        let pool = WorkerPool(lanes: 1)
        let halves: [UInt16] = [0x3C00, 0xBC00, 0x0001, 0x7BFF]
        let floats = try halves.withUnsafeBytes { bytes in
            try #require(try AlignedBuffer(floatsOf: PARLEY_F16.matrixType, count: 4, source: bytes, pool: pool))
        }
        #expect((0..<4).map { floats.floats[$0] } == [1, -1, 0x1p-24, 65_504])
        for (type, count) in [(PARLEY_F16, 5), (PARLEY_Q8_0, 4)] {
            let buffer = try halves.withUnsafeBytes { bytes in
                try AlignedBuffer(floatsOf: type.matrixType, count: count, source: bytes, pool: pool)
            }
            #expect(buffer == nil)
        }
    }

    @Test(
        "too large allocations are errors, at any size and for all types of buffers",
        arguments: [-1, .min, .max, .max - 63, 1 << 62, 1 << 48])
    func refusesImpossibleSizes(bytes: Int) {
        let error = #expect(throws: AllocationError.self) { try AlignedBuffer(byteCount: bytes) }
        #expect(error?.code == .insufficientMemory)
        #expect(throws: AllocationError.self) { try AlignedBuffer(zeroedFloats: bytes) }
        #expect(throws: AllocationError.self) { try AlignedBuffer(byteCount: bytes, isLocked: true) }
    }

    @Test("layers of impossible sizes are errors")
    func refusesImpossibleLayers() {
        #expect(throws: AllocationError.self) {
            try KeyValueCache(capacity: 1 << 30, kvHeads: 1 << 10, headWidth: 1 << 10)
        }
        let shape = RecurrentShape(channels: 1 << 10, taps: 4)
        #expect(throws: AllocationError.self) { try RecurrentState(capacity: 1 << 40, shape: shape) }
        #expect(throws: AllocationError.self) { try QuantizedRows(count: 1 << 28, columns: 1 << 28) }
        #expect(throws: AllocationError.self) {
            try WorkerPool(lanes: 2).reserve(positions: 1 << 44, columns: 64)
        }
        #expect(PackedMatrix.byteCount(type: PARLEY_F32.matrixType, rows: 1 << 50, columns: 1 << 30) == nil)
        #expect(PackedMatrix.byteCount(type: PARLEY_F32.matrixType, rows: .max, columns: .max) == nil)
        #expect(PackedMatrix.byteCount(type: PARLEY_F32.matrixType, rows: .max, columns: 16) == nil)
    }

    @Test(
        "when the process cannot map more memory, buffers are refused, and freed ones can be allocated again",
        .enabled(if: limitsAddressSpace, "the address space is limited on Linux with glibc only"))
    func refusesBeyondTheLimit() async {
        await #expect(processExitsWith: .success) {
            let before = AlignedBuffer.liveByteCount
            try limitAddressSpace(to: 8 << 30)
            var buffers: [AlignedBuffer] = []
            let size = 256 << 20
            let error = #expect(throws: AllocationError.self) {
                for _ in 0..<64 { buffers.append(try AlignedBuffer(byteCount: size)) }
            }
            #expect(error?.description.contains("\(ByteSize(clamping: size))") == true)
            #expect(AlignedBuffer.liveByteCount == before + buffers.count * size)
            buffers.removeLast()
            buffers.append(try AlignedBuffer(byteCount: size))
            buffers.removeAll()
            #expect(AlignedBuffer.liveByteCount == before)
        }
    }

    @Test("locked memory can be written, and where it cannot be locked the limit and the remedy are named")
    func locks() async {
        await #expect(processExitsWith: .success) {
            let before = AlignedBuffer.liveByteCount
            if MemoryLock.limit ?? 0 >= 1 << 20 {
                let buffer = try AlignedBuffer(byteCount: 5_000, isLocked: true)
                buffer.floats.initialize(repeating: 1, count: 1_250)
            }
            try forbidLocking()
            for bytes in [1, 5_000, 1 << 20] {
                let error = #expect(throws: AllocationError.self) {
                    try AlignedBuffer(byteCount: bytes, isLocked: true)
                }
                #expect(error?.code == .lockingRefused)
                let message = error?.message ?? ""
                for part in ["its limit is 0 KiB", "RLIMIT_MEMLOCK", "ulimit -l", "without locking"] {
                    #expect(message.contains(part), "“\(part)” is not in “\(message)”")
                }
            }
            #expect(AlignedBuffer.liveByteCount == before)
            _ = try AlignedBuffer(byteCount: 5_000)
        }
    }
}
