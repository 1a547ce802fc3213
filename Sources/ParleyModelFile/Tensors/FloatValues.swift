// SPDX-License-Identifier: Apache-2.0

/// Stored numbers of 16 or 32 bits, as floats.
struct FloatValues {
    private let bytes: UnsafeRawBufferPointer
    private let type: SafetensorsTensor.ValueType

    /// Reads F32, F16 and BF16; all other types have no values.
    init(_ bytes: UnsafeRawBufferPointer, type: SafetensorsTensor.ValueType) {
        self.bytes = bytes
        self.type = type
    }

    /// Calls `body` with the index of each number and its value.
    func forEach(_ body: (Int, Float) -> Void) {
        switch type {
        case .f32:
            for index in 0..<bytes.count / 4 { body(index, Float(bitPattern: load(index))) }
        case .f16:
            for index in 0..<bytes.count / 2 { body(index, Float(half: load(index))) }
        case .bf16:
            for index in 0..<bytes.count / 2 { body(index, Float(bitPattern: UInt32(load(index) as UInt16) << 16)) }
        default: return
        }
    }

    private func load<Bits: FixedWidthInteger>(_ index: Int) -> Bits {
        Bits(littleEndian: bytes.loadUnaligned(fromByteOffset: index * MemoryLayout<Bits>.size, as: Bits.self))
    }
}

extension Float {
    /// Converts IEEE half precision; `Float16` is not available on Intel Macs.
    package init(half bits: UInt16) {
        let sign = UInt32(bits & 0x8000) << 16
        let magnitude = UInt32(bits & 0x7FFF)
        if magnitude >= 0x7C00 {
            self.init(bitPattern: sign | 0x7F80_0000 | (magnitude & 0x3FF) << 13)
        } else if magnitude >= 0x400 {
            self.init(bitPattern: sign | (magnitude + (112 << 10)) << 13)
        } else {
            self = Float(magnitude) * 0x1p-24 * (sign == 0 ? 1 : -1)
        }
    }
}
