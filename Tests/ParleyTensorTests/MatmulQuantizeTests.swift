// SPDX-License-Identifier: Apache-2.0

import CParleyKernels
import ParleyRuntime
import Testing

/// The quantisation of activations. Its buffer is opaque, so its contents are tested through products.
@Suite struct MatmulQuantizeTests {
    /// Zeros, subnormal numbers, the largest ones, and values that are no numbers.
    static let odd: [Float] = [
        0, -0.0, 0x1p-149, -0x1.9p-143, 0x1.fp-127, .greatestFiniteMagnitude, .infinity, -.infinity, .nan,
    ]

    @Test(
        "Every instruction set quantises to the same bits, whatever the values",
        // AMX has a layout of its own, which scripts/check-amx compares with this one.
        arguments: OpsInstructionSet.available.filter { $0 != .amx })
    func twins(set: OpsInstructionSet) throws {
        let kernels = try set.kernels(), generic = try OpsInstructionSet.generic.kernels()
        var random = SplitMix64(seed: 6)
        for tokens in 1...20 {
            let columns = 32 * random.int(in: 1...20)
            var x = random.floats(tokens * columns)
            for value in Self.odd { x[random.int(in: 0...(x.count - 1))] = value }
            for i in 0..<32 { x[i] *= 0x1p-140 }
            let expected = quantize(generic, x, columns: columns, tokens: tokens, parts: [0..<tokens])
            let split = random.int(in: 0...tokens)
            let actual = quantize(kernels, x, columns: columns, tokens: tokens, parts: [split..<tokens, 0..<split])
            #expect(expected.bytes.elementsEqual(actual.bytes))
        }
    }

    @Test("A block's largest value is 127 steps, ties go to the even number", arguments: OpsInstructionSet.available)
    func steps(set: OpsInstructionSet) throws {
        // A row of weights that selects one column shows its quantised value: x = 127 makes the step 1.
        var x = [Float](repeating: 0, count: 32)
        let values: [Float] = [127, 0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 0.49, 0.51, -126.6, -127, 3.0]
        let steps: [Float] = [127, 0, 2, 2, 0, -2, -2, 0, 1, -127, -127, 3]
        x.replaceSubrange(0..<values.count, with: values)
        var tensor = [UInt8]()
        for row in 0..<32 {
            tensor += [0x00, 0x3c] + (0..<32).map { $0 == row ? 1 : 0 }
        }
        for tokens in [1, 7, 13] {
            let rows = Array(repeatElement(x, count: tokens).joined())
            let matmul = MatmulCase(MatmulType.quantized[4], tensor: tensor, rows: 32, columns: 32, x: rows)
            let y = matmul.product(try set.kernels())
            for token in 0..<tokens {
                let products = y[(32 * token)..<(32 * (token + 1))]
                #expect(Array(products.prefix(values.count)) == steps)
                #expect(products.dropFirst(values.count).allSatisfy { $0 == 0 })
            }
        }
    }

    private func quantize(
        _ kernels: parley_kernels, _ x: [Float], columns: Int, tokens: Int, parts: [Range<Int>]
    ) -> MatmulBuffer {
        let buffer = MatmulBuffer(parley_activation_bytes(tokens, columns))
        for part in parts {
            kernels.quantize?(x, columns, columns, buffer.address, tokens, part.lowerBound, part.upperBound)
        }
        return buffer
    }
}
