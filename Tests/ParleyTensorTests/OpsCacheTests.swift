// SPDX-License-Identifier: Apache-2.0

import CParleyKernels
import ParleyRuntime
import Testing

/// How keys and values enter the cache.
@Suite struct OpsCacheTests {
    static let canary: UInt16 = 0x1234

    @Test(
        "Keys are written to their lane of a panel and values to their row, and nothing else",
        arguments: OpsInstructionSet.available, [8, 24, 64, 80, 256])
    func layout(set: OpsInstructionSet, dim: Int) throws {
        let kernels = try set.kernels()
        var random = SplitMix64(seed: UInt64(dim))
        let x = random.floats(dim, in: -100...100)
        let halves = x.map { parley_f32_to_f16($0) }
        for position in [0, 1, 15, 16, 37, 47] {
            var keys = [UInt16](repeating: Self.canary, count: 48 * dim), values = keys
            var expectedKeys = keys, expectedValues = keys
            for d in 0..<dim {
                expectedKeys[position / 16 * dim * 16 + d * 16 + position % 16] = halves[d]
                expectedValues[position * dim + d] = halves[d]
            }
            kernels.store_key?(PARLEY_F16, x, dim, &keys, position)
            kernels.store_value?(PARLEY_F16, x, dim, &values, position)
            #expect(keys == expectedKeys)
            #expect(values == expectedValues)
        }
    }

    @Test(
        "In 8 bits each 32 values of a position have a scale, and the integers of Q8_0",
        arguments: OpsInstructionSet.available, [8, 24, 64, 80, 256])
    func quantised(set: OpsInstructionSet, dim: Int) throws {
        let kernels = try set.kernels()
        var random = SplitMix64(seed: UInt64(dim))
        let x = random.floats(dim, in: -100...100)
        let blocks = (dim + 31) / 32, scales = blocks * 32
        let padded = x + [Float](repeating: 0, count: blocks * 32 - dim)
        var q8 = [UInt8](repeating: 0, count: blocks * 34)
        parley_quantize_q8_0(PARLEY_F32, padded, blocks, &q8)
        let panelBytes = parley_cache_panel_bytes(PARLEY_Q8_0, dim)
        #expect(panelBytes == scales + 16 * dim)
        for position in [0, 1, 15, 16, 37, 47] {
            let panel = position / 16 * panelBytes, lane = position % 16
            var keys = [UInt8](repeating: 0x5a, count: 3 * panelBytes), values = keys
            var expectedKeys = keys, expectedValues = keys
            for d in 0..<dim {
                let number = q8[d / 32 * 34 + 2 + d % 32]
                expectedKeys[panel + scales + d * 16 + lane] = number
                expectedValues[panel + scales + lane * dim + d] = number
                for byte in 0..<2 {
                    expectedKeys[panel + (d / 32 * 16 + lane) * 2 + byte] = q8[d / 32 * 34 + byte]
                    expectedValues[panel + (d / 32 * 16 + lane) * 2 + byte] = q8[d / 32 * 34 + byte]
                }
            }
            kernels.store_key?(PARLEY_Q8_0, x, dim, &keys, position)
            kernels.store_value?(PARLEY_Q8_0, x, dim, &values, position)
            #expect(keys == expectedKeys)
            #expect(values == expectedValues)
        }
    }

    @Test("In 8 bits, scales are finite and NaN is an integer", arguments: OpsInstructionSet.available)
    func extremes(set: OpsInstructionSet) throws {
        let kernels = try set.kernels(), generic = try OpsInstructionSet.generic.kernels()
        for x: [Float] in [
            [1e30, -.infinity, 0, .nan, 1, -2, 3, .infinity], [Float](repeating: 0, count: 8),
            [.leastNonzeroMagnitude, 0, 0, 0, 0, 0, 0, .nan], [Float](repeating: .nan, count: 8),
            [65504, -127, 0.5, 1.5, 2.5, -0.5, -1.5, .leastNonzeroMagnitude],
        ] {
            var values = [UInt8](repeating: 0, count: 32 + 16 * 8), expected = values
            kernels.store_value?(PARLEY_Q8_0, x, 8, &values, 0)
            generic.store_value?(PARLEY_Q8_0, x, 8, &expected, 0)
            #expect(values == expected)
            #expect(parley_f16_to_f32(UInt16(values[0]) | UInt16(values[1]) << 8).isFinite)
            #expect(values[32..<40].allSatisfy { Int8(bitPattern: $0) >= -127 })
        }
    }

    @Test("Values beyond f16 saturate, and ties round to even", arguments: OpsInstructionSet.available)
    func rounding(set: OpsInstructionSet) throws {
        let kernels = try set.kernels()
        let x: [Float] = [
            65504, 65519.9, 65520, 1e30, -65520, -.infinity, .infinity, -65519.9,
            1 + 0x1p-11, 1 + 3 * 0x1p-11, 0x1p-24, 0x1p-25, 0x1.8p-25, -0.0, 0.1, -2048.5,
        ]
        let expected: [UInt16] = [
            0x7bff, 0x7bff, 0x7bff, 0x7bff, 0xfbff, 0xfbff, 0x7bff, 0xfbff,
            0x3c00, 0x3c02, 0x0001, 0x0000, 0x0001, 0x8000, 0x2e66, 0xe800,
        ]
        var values = [UInt16](repeating: 0, count: 16), keys = [UInt16](repeating: 0, count: 256)
        kernels.store_value?(PARLEY_F16, x, 16, &values, 0)
        kernels.store_key?(PARLEY_F16, x, 16, &keys, 0)
        #expect(values == expected)
        #expect((0..<16).map { keys[$0 * 16] } == expected)
    }
}
