// SPDX-License-Identifier: Apache-2.0

import CParleyKernels
import ParleyRuntime
import Testing

/// Products with matrices of every type: the portable kernels against double precision, the others against those.
@Suite struct MatmulTests {
    @Test("A product is the sum of products, up to the rounding of the activations", arguments: MatmulType.all)
    func definition(type: MatmulType) throws {
        let columns = type.blockColumns == 256 ? 512 : 320
        let matmul = MatmulCase(type, rows: 21, columns: columns, tokens: 7, seed: 1)
        let y = matmul.product(try OpsInstructionSet.generic.kernels())
        for row in 0..<matmul.rows {
            let weights = matmul.row(row)
            for token in 0..<matmul.tokens {
                var exact = 0.0, bound = 0.0
                for c in 0..<columns {
                    let w = Double(weights[c])
                    exact += w * Double(matmul.x[token * columns + c])
                    // Half a step of the activations, whose largest magnitude is below 2; a few bits of float sums.
                    bound += abs(w) * ((type.isQuantized ? 0.5 * 2 / 127 : 0) + 1e-5)
                }
                #expect(abs(Double(y[token * matmul.rows + row]) - exact) <= bound + 1e-6)
            }
        }
    }

    @Test("With an activation that is exact, a product picks a weight", arguments: MatmulType.quantized)
    func oneColumn(type: MatmulType) throws {
        let columns = type.blockColumns == 256 ? 512 : 96
        let matmul = MatmulCase(type, rows: 5, columns: columns, tokens: 1, seed: 2)
        for c in [0, 17, 31, columns - 1] {
            // The step is 1, so 127 stands for itself.
            var x = [Float](repeating: 0, count: columns)
            x[c] = 127
            let y = MatmulCase(matmul, x: x).product(try OpsInstructionSet.generic.kernels())
            for row in 0..<matmul.rows {
                let exact = 127 * matmul.row(row)[c]
                #expect(abs(y[row] - exact) <= abs(exact) * 1e-5 + 1e-4)
            }
        }
    }

    @Test(
        "Every instruction set gives the bits of the portable kernels on any shape, and writes its rows only",
        arguments: MatmulType.all, OpsInstructionSet.available)
    func twins(type: MatmulType, set: OpsInstructionSet) throws {
        let kernels = try set.kernels(), generic = try OpsInstructionSet.generic.kernels()
        var random = SplitMix64(seed: UInt64(type.type.rawValue))
        for tokens in [1, 2, 3, 4, 5, 6, 7, 8, 12, 13, 25, 40] {
            let columns = type.columns(upTo: tokens < 8 ? 2048 : 1024, &random)
            let matmul = MatmulCase(
                type, rows: random.int(in: 1...70), columns: columns, tokens: tokens, seed: random.next())
            let stride = matmul.rows + random.int(in: 0...20)
            let expected = matmul.product(generic, stride: stride), actual = matmul.product(kernels, stride: stride)
            #expect(actual.bits == expected.bits, "\(matmul.rows) rows, \(columns) columns, \(tokens) tokens")
            for token in 0..<tokens {
                let unused = actual[(token * stride + matmul.rows)..<((token + 1) * stride)]
                #expect(unused.allSatisfy { $0 == opsCanary })
            }
        }
    }

    @Test(
        "The largest weights and activations overflow on no instruction set",
        arguments: MatmulType.quantized, OpsInstructionSet.available)
    func extremes(type: MatmulType, set: OpsInstructionSet) throws {
        let kernels = try set.kernels(), generic = try OpsInstructionSet.generic.kernels()
        for byte: UInt8 in [0x00, 0x0f, 0x7f, 0x80, 0xff] {
            for negative in [0...0, 1...1, 1...3, 0...3] {
                // One activation in four, or a run of them, is -127, the others 127; the last token is all zeros.
                let tokens = 7, columns = 256
                let x = (0..<tokens * columns).map { i -> Float in
                    i / columns == tokens - 1 ? 0 : negative.contains(i % 4) ? -1 : 1
                }
                let tensor = type.uniformTensor(of: byte, rows: 20, columns: columns)
                let matmul = MatmulCase(type, tensor: tensor, rows: 20, columns: columns, x: x)
                for range in [0..<1, 0..<4, 0..<tokens] {
                    let expected = matmul.product(generic, tokens: range)
                    let actual = matmul.product(kernels, tokens: range)
                    #expect(actual.bits == expected.bits, "bytes \(byte), \(negative) negative, \(range.count) tokens")
                }
            }
        }
    }

    @Test(
        "A token's result does not depend on the tokens beside it nor on how rows are divided",
        arguments: MatmulType.all, OpsInstructionSet.available)
    func batchInvariance(type: MatmulType, set: OpsInstructionSet) throws {
        let kernels = try set.kernels()
        let columns = type.blockColumns == 256 ? 1280 : 800
        let matmul = MatmulCase(type, rows: 77, columns: columns, tokens: 23, seed: 3)
        let whole = matmul.product(kernels)
        for range in [0..<1, 22..<23, 3..<5, 1..<4, 7..<11, 2..<7, 5..<11, 9..<16, 4..<23] {
            let part = matmul.product(kernels, tokens: range)
            #expect(part.bits == Array(whole[(range.lowerBound * 77)..<(range.upperBound * 77)]).bits)
        }
        #expect(matmul.product(kernels, parts: [3..<5, 0..<1, 1..<3]).bits == whole.bits)
        #expect(matmul.product(kernels, parts: [0..<2, 2..<5]).bits == whole.bits)
    }

    @Test("A part of the panels writes only its own rows", arguments: OpsInstructionSet.available)
    func parts(set: OpsInstructionSet) throws {
        let matmul = MatmulCase(MatmulType.all[3], rows: 61, columns: 64, tokens: 9, seed: 4)
        let y = matmul.product(try set.kernels(), parts: [1..<2])
        for (i, value) in y.enumerated() {
            #expect((value != opsCanary) == (16..<32).contains(i % 61))
        }
    }
}
