// SPDX-License-Identifier: Apache-2.0

import CParleyKernels
import ParleyRuntime
import ParleyTensor
import Testing

/// The properties of a type for the tests of products.
struct MatmulType: Sendable, CustomTestStringConvertible {
    let type: parley_type
    let name: String
    let blockColumns: Int
    let blockBytes: Int
    /// Where a block keeps half-precision scales.
    let scales: [Int]
    /// Where a block keeps a scale that is a power of two.
    var exponent: Int?
    /// Where a block keeps a half-precision scale in the highest four bits of four 16-bit numbers.
    var quarters: Int?

    /// The most bytes of a block once it is packed, apart from padding: types of less than four bits become indices of four
    /// bits, with a scale for every 16 or 32 columns.
    var packedBytes: Int { ["IQ1", "IQ2", "IQ3", "TQ"].contains(where: name.hasPrefix) ? 146 : blockBytes }

    var testDescription: String { name }
    var isQuantized: Bool { parley_type_is_quantized(type) }
    var matrixType: MatrixType { type.matrixType }

    static let all: [MatmulType] = [
        MatmulType(type: PARLEY_F32, name: "F32", blockColumns: 1, blockBytes: 4, scales: []),
        MatmulType(type: PARLEY_F16, name: "F16", blockColumns: 1, blockBytes: 2, scales: [0]),
        MatmulType(type: PARLEY_BF16, name: "BF16", blockColumns: 1, blockBytes: 2, scales: []),
        MatmulType(type: PARLEY_Q4_0, name: "Q4_0", blockColumns: 32, blockBytes: 18, scales: [0]),
        MatmulType(type: PARLEY_Q4_1, name: "Q4_1", blockColumns: 32, blockBytes: 20, scales: [0, 2]),
        MatmulType(type: PARLEY_Q5_0, name: "Q5_0", blockColumns: 32, blockBytes: 22, scales: [0]),
        MatmulType(type: PARLEY_Q5_1, name: "Q5_1", blockColumns: 32, blockBytes: 24, scales: [0, 2]),
        MatmulType(type: PARLEY_Q8_0, name: "Q8_0", blockColumns: 32, blockBytes: 34, scales: [0]),
        MatmulType(type: PARLEY_Q2_K, name: "Q2_K", blockColumns: 256, blockBytes: 84, scales: [80, 82]),
        MatmulType(type: PARLEY_Q3_K, name: "Q3_K", blockColumns: 256, blockBytes: 110, scales: [108]),
        MatmulType(type: PARLEY_Q4_K, name: "Q4_K", blockColumns: 256, blockBytes: 144, scales: [0, 2]),
        MatmulType(type: PARLEY_Q5_K, name: "Q5_K", blockColumns: 256, blockBytes: 176, scales: [0, 2]),
        MatmulType(type: PARLEY_Q6_K, name: "Q6_K", blockColumns: 256, blockBytes: 210, scales: [208]),
        MatmulType(type: PARLEY_IQ4_NL, name: "IQ4_NL", blockColumns: 32, blockBytes: 18, scales: [0]),
        MatmulType(type: PARLEY_IQ4_XS, name: "IQ4_XS", blockColumns: 256, blockBytes: 136, scales: [0]),
        MatmulType(type: PARLEY_MXFP4, name: "MXFP4", blockColumns: 32, blockBytes: 17, scales: [], exponent: 0),
        MatmulType(type: PARLEY_IQ2_XXS, name: "IQ2_XXS", blockColumns: 256, blockBytes: 66, scales: [0]),
        MatmulType(type: PARLEY_IQ2_XS, name: "IQ2_XS", blockColumns: 256, blockBytes: 74, scales: [0]),
        MatmulType(type: PARLEY_IQ2_S, name: "IQ2_S", blockColumns: 256, blockBytes: 82, scales: [0]),
        MatmulType(type: PARLEY_IQ3_XXS, name: "IQ3_XXS", blockColumns: 256, blockBytes: 98, scales: [0]),
        MatmulType(type: PARLEY_IQ3_S, name: "IQ3_S", blockColumns: 256, blockBytes: 110, scales: [0]),
        MatmulType(type: PARLEY_IQ1_S, name: "IQ1_S", blockColumns: 256, blockBytes: 50, scales: [0]),
        MatmulType(type: PARLEY_IQ1_M, name: "IQ1_M", blockColumns: 256, blockBytes: 56, scales: [], quarters: 48),
        MatmulType(type: PARLEY_TQ1_0, name: "TQ1_0", blockColumns: 256, blockBytes: 54, scales: [52]),
        MatmulType(type: PARLEY_TQ2_0, name: "TQ2_0", blockColumns: 256, blockBytes: 66, scales: [64]),
    ]

    static var quantized: [MatmulType] { all.filter(\.isQuantized) }

    /// A valid number of columns for this type.
    func columns(upTo limit: Int, _ random: inout SplitMix64) -> Int {
        let unit = max(blockColumns, 1)
        return unit * random.int(in: 1...(limit / unit))
    }

    /// A random tensor as a file holds it. Any bits are a valid block once the scales are finite.
    func randomTensor(rows: Int, columns: Int, _ random: inout SplitMix64) -> [UInt8] {
        var bytes = [UInt8]()
        bytes.reserveCapacity(rows * columns / blockColumns * blockBytes)
        for _ in 0..<(rows * columns / blockColumns) {
            var block = (0..<blockBytes).map { _ in UInt8.random(in: 0...255, using: &random) }
            if type == PARLEY_F32 || type == PARLEY_BF16 {
                let value = withUnsafeBytes(of: random.floats(1)[0].bitPattern.littleEndian) { [UInt8]($0) }
                block = type == PARLEY_F32 ? value : [UInt8](value[2...])
            }
            for position in scales {
                let half = parley_f32_to_f16(random.floats(1, in: -0.1...0.1)[0])
                block[position] = UInt8(half & 0xff)
                block[position + 1] = UInt8(half >> 8)
            }
            if let exponent { block[exponent] = UInt8.random(in: 120...126, using: &random) }
            storeQuarters(of: parley_f32_to_f16(random.floats(1, in: -0.1...0.1)[0]), in: &block)
            bytes += block
        }
        return bytes
    }

    private func storeQuarters(of half: UInt16, in block: inout [UInt8]) {
        guard let quarters else { return }
        for index in 0..<4 {
            let high = quarters + 2 * index + 1
            block[high] = block[high] & 15 | UInt8(half >> UInt16(4 * index) & 15) << 4
        }
    }

    /// A tensor whose blocks consist of one repeated byte, with scales of 1.
    func uniformTensor(of byte: UInt8, rows: Int, columns: Int) -> [UInt8] {
        var block = [UInt8](repeating: byte, count: blockBytes)
        for position in scales {
            block[position] = 0x00
            block[position + 1] = 0x3c
        }
        if let exponent { block[exponent] = 128 }
        storeQuarters(of: 0x3c00, in: &block)
        return (0..<rows * columns / blockColumns).flatMap { _ in block }
    }
}

/// Memory aligned for the kernels.
final class MatmulBuffer {
    let bytes: UnsafeMutableRawBufferPointer
    var address: UnsafeMutableRawPointer? { bytes.baseAddress }

    init(_ count: Int) {
        bytes = .allocate(byteCount: count, alignment: 64)
        bytes.initializeMemory(as: UInt8.self, repeating: 0xa5)
    }

    deinit { bytes.deallocate() }
}

/// A packed matrix and rows to multiply it with.
struct MatmulCase {
    let type: MatmulType
    let rows: Int
    let columns: Int
    let x: [Float]
    let packed: MatmulBuffer

    var panels: Int { (rows + 15) / 16 }
    var tokens: Int { x.count / columns }
    var matrix: parley_matrix {
        parley_matrix(panels: packed.address, type: type.type, rows: rows, columns: columns)
    }

    init(_ type: MatmulType, rows: Int, columns: Int, tokens: Int, seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let tensor = type.randomTensor(rows: rows, columns: columns, &random)
        self.init(type, tensor: tensor, rows: rows, columns: columns, x: random.floats(tokens * columns))
    }

    init(_ type: MatmulType, tensor: [UInt8], rows: Int, columns: Int, x: [Float]) {
        self.type = type
        self.rows = rows
        self.columns = columns
        self.x = x
        packed = MatmulBuffer((rows + 15) / 16 * parley_panel_bytes(type.type, columns))
        parley_pack(type.type, tensor, rows, columns, packed.address, 0, (rows + 15) / 16)
    }

    /// The same matrix with other rows to multiply.
    init(_ other: MatmulCase, x: [Float]) {
        type = other.type
        rows = other.rows
        columns = other.columns
        packed = other.packed
        self.x = x
    }

    /// Row `row`, as the tensor defines it.
    func row(_ row: Int) -> [Float] {
        [Float](unsafeUninitializedCapacity: columns) { y, count in
            withUnsafePointer(to: matrix) { parley_unpack_row($0, row, y.baseAddress) }
            count = columns
        }
    }

    func activations(_ kernels: parley_kernels, tokens: Range<Int>) -> MatmulBuffer {
        let buffer = MatmulBuffer(parley_activation_bytes(tokens.count, columns))
        x.withUnsafeBufferPointer {
            let first = $0.baseAddress.map { $0 + tokens.lowerBound * columns }
            kernels.quantize?(first, columns, columns, buffer.address, tokens.count, 0, tokens.count)
        }
        return buffer
    }

    /// Rows `tokens` of x times the matrix, in the given parts; `stride` floats a row, canaries where none are written.
    func product(
        _ kernels: parley_kernels, tokens range: Range<Int>? = nil, parts: [Range<Int>]? = nil, stride: Int? = nil
    ) -> [Float] {
        let tokens = range ?? 0..<self.tokens, stride = stride ?? rows
        let scratch = MatmulBuffer(parley_matmul_scratch_bytes())
        let activations = type.isQuantized ? activations(kernels, tokens: tokens) : nil
        var y = [Float](repeating: opsCanary, count: tokens.count * stride)
        var matrix = matrix
        for part in parts ?? [0..<panels] {
            if let activations {
                kernels.matmul?(
                    &matrix, activations.address, tokens.count, &y, stride, part.lowerBound, part.upperBound,
                    scratch.address)
            } else {
                x.withUnsafeBufferPointer {
                    let first = $0.baseAddress.map { $0 + tokens.lowerBound * columns }
                    kernels.matmul_float?(
                        &matrix, first, columns, tokens.count, &y, stride, part.lowerBound, part.upperBound,
                        scratch.address)
                }
            }
        }
        return y
    }
}

extension parley_type {
    var matrixType: MatrixType { MatrixType(rawValue: rawValue) }
}
