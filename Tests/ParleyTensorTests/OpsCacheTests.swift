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
            kernels.store_key?(x, dim, &keys, position)
            kernels.store_value?(x, dim, &values, position)
            #expect(keys == expectedKeys)
            #expect(values == expectedValues)
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
        kernels.store_value?(x, 16, &values, 0)
        kernels.store_key?(x, 16, &keys, 0)
        #expect(values == expected)
        #expect((0..<16).map { keys[$0 * 16] } == expected)
    }
}
