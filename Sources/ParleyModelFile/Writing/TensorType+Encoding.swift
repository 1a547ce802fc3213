// SPDX-License-Identifier: Apache-2.0

extension TensorType {
    /// The types that numbers can be written in: those without scales, those whose scales follow from a block's extremes
    /// alone, and those whose scales are searched for.
    package static let writable: [TensorType] = [
        .f32, .f16, .bf16, .q8_0, .q6_K, .q5_K, .q4_K, .q5_1, .q5_0, .q4_1, .q4_0,
    ]

    /// Writes numbers in this type, to the bit as ggml does.
    ///
    /// - Parameters:
    ///   - numbers: a multiple of ``blockSize`` finite numbers.
    ///   - bytes: receives them; `numbers.count / blockSize · blockBytes` bytes are written.
    /// - Returns: false if this type is not among ``writable``, and nothing was written.
    package func encode(_ numbers: UnsafeBufferPointer<Float>, into bytes: UnsafeMutableRawBufferPointer) -> Bool {
        let block: (UnsafeBufferPointer<Float>, UnsafeMutableRawBufferPointer) -> Void
        switch self {
        case .f32: block = { $1.storeBytes(of: $0[0].bitPattern.littleEndian, as: UInt32.self) }
        case .f16: block = { $1.store(Self.half($0[0]), at: 0) }
        case .bf16: block = { $1.store(Self.brain($0[0]), at: 0) }
        case .q4_0: block = { Self.symmetric($0, bits: 4, into: $1) }
        case .q5_0: block = { Self.symmetric($0, bits: 5, into: $1) }
        case .q4_1: block = { Self.ranged($0, bits: 4, into: $1) }
        case .q5_1: block = { Self.ranged($0, bits: 5, into: $1) }
        case .q8_0: block = { Self.q8_0($0, into: $1) }
        case .q4_K: block = { ScaleSearch.ranged($0, bits: 4, into: $1) }
        case .q5_K: block = { ScaleSearch.ranged($0, bits: 5, into: $1) }
        case .q6_K: block = { ScaleSearch.symmetric($0, into: $1) }
        default: return false
        }
        for index in 0..<numbers.count / blockSize {
            block(
                UnsafeBufferPointer(rebasing: numbers[index * blockSize..<(index + 1) * blockSize]),
                UnsafeMutableRawBufferPointer(rebasing: bytes[index * blockBytes..<(index + 1) * blockBytes]))
        }
        return true
    }

    /// A scale for which the number of largest magnitude becomes the lowest: Q4_0 and Q5_0.
    private static func symmetric(
        _ numbers: UnsafeBufferPointer<Float>, bits: Int, into bytes: UnsafeMutableRawBufferPointer
    ) {
        var extreme: Float = 0
        for number in numbers where abs(extreme) < abs(number) { extreme = number }
        let centre = Float(1 << (bits - 1))
        let scale = extreme / -centre
        let inverse = scale == 0 ? 0 : 1 / scale
        bytes.store(half(scale), at: 0)
        pack(numbers, bits: bits, into: bytes, at: 2) { $0 * inverse + (centre + 0.5) }
    }

    /// A scale and a minimum: Q4_1 and Q5_1.
    private static func ranged(
        _ numbers: UnsafeBufferPointer<Float>, bits: Int, into bytes: UnsafeMutableRawBufferPointer
    ) {
        let minimum = numbers.min() ?? 0
        let scale = ((numbers.max() ?? 0) - minimum) / Float(1 << bits - 1)
        let inverse = scale == 0 ? 0 : 1 / scale
        bytes.store(half(scale), at: 0)
        bytes.store(half(minimum), at: 2)
        pack(numbers, bits: bits, into: bytes, at: 4) { ($0 - minimum) * inverse + 0.5 }
    }

    /// Writes levels of four or five bits: the first half of the block in the low halves of bytes, the second in the
    /// high ones; before them the fifth bits.
    private static func pack(
        _ numbers: UnsafeBufferPointer<Float>, bits: Int, into bytes: UnsafeMutableRawBufferPointer, at start: Int,
        level: (Float) -> Float
    ) {
        let most = Float(1 << bits - 1)
        // What is out of range, or no number, because the scale is too small to be inverted, becomes an end of it.
        func whole(_ number: Float) -> UInt8 { number >= most ? UInt8(most) : number > 0 ? UInt8(number) : 0 }
        let place = bits == 5 ? start + 4 : start
        var fifth: UInt32 = 0
        for index in 0..<16 {
            let low = whole(level(numbers[index]))
            let high = whole(level(numbers[index + 16]))
            bytes[place + index] = low & 15 | (high & 15) << 4
            fifth |= UInt32(low >> 4) << UInt32(index) | UInt32(high >> 4) << UInt32(index + 16)
        }
        if bits == 5 { bytes.storeBytes(of: fifth.littleEndian, toByteOffset: start, as: UInt32.self) }
    }

    private static func q8_0(_ numbers: UnsafeBufferPointer<Float>, into bytes: UnsafeMutableRawBufferPointer) {
        let scale = (numbers.lazy.map(abs).max() ?? 0) / 127
        let inverse = scale == 0 ? 0 : 1 / scale
        bytes.store(half(scale), at: 0)
        for (index, number) in numbers.enumerated() {
            let level = (number * inverse).rounded()
            bytes[2 + index] = UInt8(
                bitPattern: level >= 127 ? 127 : level <= -127 ? -127 : level.isNaN ? 0 : Int8(level))
        }
    }

    /// Converts to bfloat16 (the upper 16 bits of a `Float`), rounding to nearest even.
    package static func brain(_ number: Float) -> UInt16 {
        let bits = number.bitPattern
        return UInt16(truncatingIfNeeded: (bits &+ 0x7FFF &+ (bits >> 16 & 1)) >> 16)
    }

    /// Converts to IEEE half precision, rounding to nearest even; `Float16` is not available on Intel Macs.
    package static func half(_ number: Float) -> UInt16 {
        let sign = UInt16(truncatingIfNeeded: number.bitPattern >> 16) & 0x8000
        let magnitude = abs(number)
        guard magnitude < 65_520 else { return sign | 0x7C00 }
        if magnitude < 0x1p-14 { return sign | UInt16((magnitude * 0x1p24).rounded(.toNearestOrEven)) }
        let bits = magnitude.bitPattern
        let rounded = bits &+ 0xFFF &+ (bits >> 13 & 1)
        return sign | UInt16(truncatingIfNeeded: (rounded >> 13) &- (112 << 10))
    }
}

extension UnsafeMutableRawBufferPointer {
    fileprivate func store(_ bits: UInt16, at offset: Int) {
        storeBytes(of: bits.littleEndian, toByteOffset: offset, as: UInt16.self)
    }
}
