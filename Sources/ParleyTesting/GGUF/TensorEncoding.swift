// SPDX-License-Identifier: Apache-2.0

import ParleyModelFile

/// The storage format of a tensor in a model for tests.
public enum TensorEncoding: UInt32, Sendable, Hashable, CaseIterable {
    case f32 = 0
    case f16 = 1
    case q4_0 = 2
    case q4_1 = 3
    case q8_0 = 8
    case bf16 = 30

    /// The number of consecutive values in a block; 1 for formats that are not quantised.
    public var blockSize: Int {
        switch self {
        case .f32, .f16, .bf16: 1
        case .q4_0, .q4_1, .q8_0: 32
        }
    }

    /// Encodes numbers; their count must be a multiple of ``blockSize``.
    public func encode(_ numbers: [Float]) -> [UInt8] {
        switch self {
        case .f32: numbers.flatMap { Self.bytes($0.bitPattern) }
        case .f16: numbers.flatMap { Self.bytes(TensorType.half($0)) }
        case .bf16: numbers.flatMap { Self.bytes(TensorType.brain($0)) }
        case .q4_0: blocks(of: numbers).flatMap(Self.q4_0Block)
        case .q4_1: blocks(of: numbers).flatMap(Self.q4_1Block)
        case .q8_0: blocks(of: numbers).flatMap(Self.q8_0Block)
        }
    }

    private func blocks(of numbers: [Float]) -> [ArraySlice<Float>] {
        stride(from: 0, to: numbers.count, by: blockSize).map { numbers[$0..<($0 + blockSize)] }
    }

    /// Encodes a block as signed bytes with one scale.
    private static func q8_0Block(_ block: ArraySlice<Float>) -> [UInt8] {
        let largest = block.map(abs).max() ?? 0
        let scale = largest / 127
        let inverse = scale == 0 ? 0 : 1 / scale
        return bytes(TensorType.half(scale)) + block.map { UInt8(bitPattern: Int8(($0 * inverse).rounded())) }
    }

    /// Encodes a block as 4-bit numbers from -8 to 7 with one scale, so that the number of largest magnitude becomes
    /// -8.
    private static func q4_0Block(_ block: ArraySlice<Float>) -> [UInt8] {
        let extreme = block.max { abs($0) < abs($1) } ?? 0
        let scale = extreme / -8
        let inverse = scale == 0 ? 0 : 1 / scale
        return bytes(TensorType.half(scale)) + packed(block.map { nibble($0 * inverse + 8) })
    }

    /// Encodes a block as 4-bit numbers from 0 to 15 with a scale and a minimum.
    private static func q4_1Block(_ block: ArraySlice<Float>) -> [UInt8] {
        let minimum = block.min() ?? 0
        let scale = ((block.max() ?? 0) - minimum) / 15
        let inverse = scale == 0 ? 0 : 1 / scale
        return bytes(TensorType.half(scale)) + bytes(TensorType.half(minimum))
            + packed(block.map { nibble(($0 - minimum) * inverse) })
    }

    private static func nibble(_ number: Float) -> UInt8 {
        UInt8(min(15, max(0, number.rounded())))
    }

    /// Packs 4-bit numbers into bytes: the first half of a block into the low bits, the second half into the high bits.
    private static func packed(_ nibbles: [UInt8]) -> [UInt8] {
        let half = nibbles.count / 2
        return (0..<half).map { nibbles[$0] | nibbles[half + $0] << 4 }
    }

    private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }
}
