// SPDX-License-Identifier: Apache-2.0

import CParleyKernels
import ParleyRuntime
import ParleyTensor
import Testing

/// Products with matrices of 8 bits that have a scale for 256 columns: the portable kernels against double precision, the
/// others against those.
@Suite struct GroupedProductTests {
    /// A matrix, and rows to multiply it with.
    private struct Product {
        let rows: Int
        let columns: Int
        let x: [Float]
        let weights: [Float]
        let packed: MatmulBuffer

        var panels: Int { (rows + 15) / 16 }
        var tokens: Int { x.count / columns }

        init(rows: Int, columns: Int, x: [Float], weights: [Float]) {
            (self.rows, self.columns, self.x, self.weights) = (rows, columns, x, weights)
            packed = MatmulBuffer((rows + 15) / 16 * parley_panel_bytes(PARLEY_Q8_256, columns))
            // In two calls, as two threads would.
            let middle = (rows + 15) / 16 / 2
            for part in [middle..<(rows + 15) / 16, 0..<middle] {
                parley_pack_q8_256(
                    PARLEY_F32, weights, columns, rows, columns, packed.address, part.lowerBound, part.upperBound)
            }
        }

        init(rows: Int, columns: Int, tokens: Int, seed: UInt64) {
            var random = SplitMix64(seed: seed)
            self.init(
                rows: rows, columns: columns, x: random.floats(tokens * columns), weights: random.floats(rows * columns)
            )
        }

        func activations(_ kernels: parley_kernels, tokens: Range<Int>, parts: [Range<Int>]? = nil) -> MatmulBuffer {
            let buffer = MatmulBuffer(parley_q8_256_activation_bytes(tokens.count, columns))
            let rows = Array(x[tokens.lowerBound * columns..<tokens.upperBound * columns])
            for part in parts ?? [0..<tokens.count] {
                kernels.quantize_q8_256?(
                    rows, columns, columns, buffer.address, tokens.count, part.lowerBound, part.upperBound)
            }
            return buffer
        }

        /// Rows `tokens` of x times the matrix, in the given parts; `stride` floats a row, canaries where none are written.
        func result(
            _ kernels: parley_kernels, tokens range: Range<Int>? = nil, parts: [Range<Int>]? = nil, stride: Int? = nil
        ) -> [Float] {
            let tokens = range ?? 0..<self.tokens, stride = stride ?? rows
            let scratch = MatmulBuffer(parley_matmul_scratch_bytes())
            let activations = activations(kernels, tokens: tokens)
            var y = [Float](repeating: opsCanary, count: tokens.count * stride)
            var matrix = parley_matrix(panels: packed.address, type: PARLEY_Q8_256, rows: rows, columns: columns)
            for part in parts ?? [0..<panels] {
                kernels.matmul_q8_256?(
                    &matrix, activations.address, tokens.count, &y, stride, part.lowerBound, part.upperBound,
                    scratch.address)
            }
            return y
        }
    }

    @Test("A product is the sum of products, up to the rounding of both sides", arguments: [1, 63, 64, 240, 256, 700])
    func definition(columns: Int) throws {
        let product = Product(rows: 21, columns: columns, tokens: 7, seed: 1)
        let y = product.result(try OpsInstructionSet.generic.kernels())
        for row in 0..<product.rows {
            for token in 0..<product.tokens {
                var exact = 0.0, bound = 1e-5
                for c in 0..<columns {
                    let w = Double(product.weights[row * columns + c]), x = Double(product.x[token * columns + c])
                    exact += w * x
                    // Half a step of each side, whose largest magnitude is below 2.
                    bound += (abs(w) + abs(x)) / 127 + 1e-4
                }
                #expect(abs(Double(y[token * product.rows + row]) - exact) <= bound)
            }
        }
    }

    @Test("A group's largest number is 127 steps, ties go to the even number, and the next group has its own step")
    func steps() throws {
        let kernels = try OpsInstructionSet.generic.kernels()
        var x = [Float](repeating: 0, count: 300)
        x.replaceSubrange(0..<8, with: [127, 0.5, 1.5, 2.5, -0.5, -1.5, -126.6, 3])
        x[256] = 1_270
        x[257] = 14
        // Each row of weights picks one column.
        let columns = Array(0..<8) + [256, 257]
        var weights = [Float](repeating: 0, count: columns.count * 300)
        for (row, column) in columns.enumerated() { weights[row * 300 + column] = 1 }
        let y = Product(rows: columns.count, columns: 300, x: x, weights: weights).result(kernels)
        #expect(y.map { ($0 * 8).rounded() / 8 } == [127, 0, 2, 2, 0, -2, -127, 3, 1_270, 10])
    }

    @Test(
        "Every instruction set gives the bits of the portable kernels on any shape, and writes its rows only",
        arguments: OpsInstructionSet.available)
    func twins(set: OpsInstructionSet) throws {
        let kernels = try set.kernels(), generic = try OpsInstructionSet.generic.kernels()
        var random = SplitMix64(seed: 2)
        for tokens in Array(1...14) + [31, 32, 33, 48, 65, 100] {
            let product = Product(
                rows: random.int(in: 1...70), columns: random.int(in: 1...(tokens < 40 ? 2_100 : 600)), tokens: tokens,
                seed: random.next())
            let stride = product.rows + random.int(in: 0...20)
            let expected = product.result(generic, stride: stride), actual = product.result(kernels, stride: stride)
            #expect(actual.bits == expected.bits, "\(product.rows) rows, \(product.columns) columns, \(tokens) tokens")
            for token in 0..<tokens {
                let unused = actual[(token * stride + product.rows)..<((token + 1) * stride)]
                #expect(unused.allSatisfy { $0 == opsCanary })
            }
        }
    }

    @Test("The largest weights and activations overflow on no instruction set", arguments: OpsInstructionSet.available)
    func extremes(set: OpsInstructionSet) throws {
        let kernels = try set.kernels(), generic = try OpsInstructionSet.generic.kernels()
        for signs in [(1, 1), (1, -1), (-1, 1), (-1, -1)] {
            let product = Product(
                rows: 20, columns: 512, x: [Float](repeating: Float(signs.0), count: 13 * 512),
                weights: [Float](repeating: Float(signs.1), count: 20 * 512))
            let y = product.result(kernels)
            #expect(y.bits == product.result(generic).bits)
            #expect(y.allSatisfy { abs($0 - Float(signs.0 * signs.1 * 512)) < 0.01 })
        }
    }

    @Test(
        "Every instruction set quantises to the same bits, whatever the values", arguments: OpsInstructionSet.available)
    func quantizing(set: OpsInstructionSet) throws {
        let kernels = try set.kernels(), generic = try OpsInstructionSet.generic.kernels()
        var random = SplitMix64(seed: 3)
        for tokens in 1...20 {
            let columns = random.int(in: 1...700)
            var x = random.floats(tokens * columns)
            for value in MatmulQuantizeTests.odd { x[random.int(in: 0...(x.count - 1))] = value }
            for i in 0..<min(columns, 256) { x[i] *= 0x1p-140 }
            let product = Product(rows: 1, columns: columns, x: x, weights: [Float](repeating: 0, count: columns))
            let expected = product.activations(generic, tokens: 0..<tokens)
            let split = random.int(in: 0...tokens)
            let actual = product.activations(kernels, tokens: 0..<tokens, parts: [split..<tokens, 0..<split])
            #expect(expected.bytes.elementsEqual(actual.bytes))
        }
    }

    @Test(
        "A token's result does not depend on the tokens beside it nor on how rows are divided",
        arguments: OpsInstructionSet.available)
    func batchInvariance(set: OpsInstructionSet) throws {
        let kernels = try set.kernels()
        let product = Product(rows: 77, columns: 900, tokens: 70, seed: 4)
        let whole = product.result(kernels)
        for range in [0..<1, 69..<70, 3..<5, 1..<4, 7..<16, 2..<30, 5..<38, 9..<70] {
            let part = product.result(kernels, tokens: range)
            #expect(part.bits == Array(whole[(range.lowerBound * 77)..<(range.upperBound * 77)]).bits)
        }
        #expect(product.result(kernels, parts: [3..<5, 0..<1, 1..<3]).bits == whole.bits)
        let y = product.result(kernels, parts: [1..<2])
        #expect(y.enumerated().allSatisfy { ($1 != opsCanary) == (16..<32).contains($0 % 77) })
    }

    @Test("Columns are packed as the rows of the transposed matrix are, and rows are unpacked as they are multiplied")
    func packing() throws {
        var random = SplitMix64(seed: 5)
        let (rows, columns, stride) = (530, 40, 47)
        let x = random.floats(rows * stride)
        let transposed = (0..<columns).flatMap { column in (0..<rows).map { x[$0 * stride + column] } }
        let expected = Product(rows: columns, columns: rows, x: [], weights: transposed).packed
        let actual = MatmulBuffer(expected.bytes.count)
        parley_pack_q8_256_transposed(x, stride, rows, columns, actual.address, 1, 3)
        parley_pack_q8_256_transposed(x, stride, rows, columns, actual.address, 0, 1)
        #expect(actual.bytes.elementsEqual(expected.bytes))

        var matrix = parley_matrix(panels: actual.address, type: PARLEY_Q8_256, rows: columns, columns: rows)
        for row in [0, 17, columns - 1] {
            var y = [Float](repeating: 0, count: rows)
            parley_unpack_row(&matrix, row, &y)
            let error = zip(y, transposed[row * rows..<(row + 1) * rows]).map { abs($0 - $1) }.max() ?? 1
            #expect(error > 0 && error <= 1.0 / 127 + 1e-6)
        }
    }

    @Test("Halves are quantised as the floats that they stand for", arguments: [PARLEY_F16, PARLEY_BF16])
    func halves(type: parley_type) {
        let values = (0..<20 * 300).map { Float($0 % 253) - 126 }
        let source = values.map { value in
            type == PARLEY_F16 ? parley_f32_to_f16(value) : UInt16(value.bitPattern >> 16)
        }
        let product = Product(rows: 20, columns: 300, x: [], weights: values)
        let packed = MatmulBuffer(product.packed.bytes.count)
        parley_pack_q8_256(type, source, 300, 20, 300, packed.address, 0, 2)
        #expect(packed.bytes.elementsEqual(product.packed.bytes))
    }

    @Test("No tensor of a file has the type: its size is unknown, and packing it leaves the memory as it is")
    func fileType() {
        #expect(PARLEY_Q8_256.matrixType.byteCount(columns: 256) == nil)
        let packed = MatmulBuffer(parley_panel_bytes(PARLEY_Q8_256, 256))
        parley_pack(PARLEY_Q8_256, [UInt8](repeating: 0, count: 8_192), 16, 256, packed.address, 0, 1)
        #expect(packed.bytes.allSatisfy { $0 == 0xa5 })
        #expect(parley_panel_bytes(PARLEY_Q8_256, .max) == 0)
        #expect(parley_panel_bytes(PARLEY_Q8_256, Int(UInt.max / 4_160) * 256 + 200) == 0)
        #expect(parley_q8_256_activation_bytes(.max, 256) == 0)
        #expect(parley_q8_256_activation_bytes(1 << 40, 1 << 40) == 0)
    }

    @Test("Lanes multiply matrices of both forms and of floats with the same rows", arguments: [1, 3])
    func lanes(count: Int) throws {
        let pool = WorkerPool(lanes: count)
        let (rows, columns, tokens) = (50, 512, 19)
        var random = SplitMix64(seed: 6)
        let values = random.floats(rows * columns), inputs = random.floats(tokens * columns)
        func matrix(_ quantization: PackedMatrix.Quantization?) throws -> PackedMatrix {
            try values.withUnsafeBytes { source in
                let matrix =
                    if let quantization {
                        try PackedMatrix(
                            quantizing: .f32, rows: rows, columns: columns, source: source, as: quantization, pool: pool
                        )
                    } else {
                        try PackedMatrix(type: .f32, rows: rows, columns: columns, source: source, pool: pool)
                    }
                return try #require(matrix)
            }
        }
        let matrices = (try matrix(.groups), try matrix(.blocks), try matrix(nil))
        let memory = try AlignedBuffer(byteCount: (tokens * columns + 4 * tokens * rows) * MemoryLayout<Float>.stride)
        memory.floats.update(from: inputs, count: inputs.count)
        let x = FloatRows(pointer: memory.floats, count: tokens, width: columns)
        func output(_ index: Int) -> FloatRows {
            let offset = tokens * columns + index * tokens * rows
            return FloatRows(pointer: memory.floats + offset, count: tokens, width: rows)
        }
        let outputs = (output(0), output(1), output(2)), alone = output(3)
        let quantized = try QuantizedRows(count: tokens, columns: columns, for: .groups)
        pool.run { lane in lane.multiply(x, by: matrices, into: outputs, quantized: quantized) }
        for (matrix, result) in [(matrices.0, outputs.0), (matrices.1, outputs.1), (matrices.2, outputs.2)] {
            pool.run { lane in lane.multiply(x, by: matrix, into: alone, quantized: quantized) }
            #expect((0..<tokens * rows).allSatisfy { result.pointer[$0] == alone.pointer[$0] })
        }
        withExtendedLifetime(memory) {}
    }
}
