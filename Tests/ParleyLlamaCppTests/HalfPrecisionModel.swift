// SPDX-License-Identifier: Apache-2.0

#if LlamaCpp
    import Foundation
    import ParleyModelFile
    import ParleyTesting

    extension GGUFWriter {
        /// A model with its quantised weights turned to F16, which every engine multiplies with exactly enough to
        /// agree. The file's tensors are in Q4_1, Q8_0, F16 and F32, as the default model has them.
        init(halfPrecisionOf file: GGUFFile) throws {
            self.init()
            for key in file.metadata.keys {
                guard let value = file.metadata[key].flatMap(Value.init) else { continue }
                set(key, value)
            }
            set("general.file_type", .uint32(1))
            for tensor in file.tensors {
                let (code, bytes) = try file.withBytes(of: tensor) { bytes in
                    switch TensorEncoding(rawValue: tensor.typeCode) {
                    case .q4_1: (TensorEncoding.f16.rawValue, halvesOfQ4_1(bytes))
                    case .q8_0: (TensorEncoding.f16.rawValue, halvesOfQ8_0(bytes))
                    default: (tensor.typeCode, Array(bytes))
                    }
                }
                tensors.append(.init(name: tensor.name, typeCode: code, dimensions: tensor.dimensions, bytes: bytes))
            }
        }
    }

    extension GGUFWriter.Value {
        fileprivate init?(_ value: MetadataValue) {
            switch (value.type, value.elementType) {
            case (.string, _): self = .string(value.string ?? "")
            case (.bool, _): self = .bool(value.bool ?? false)
            case (.uint32, _): self = .uint32(UInt32(clamping: value.unsigned ?? 0))
            case (.float32, _): self = .float32(value.float ?? 0)
            case (.array, .string): self = .strings(value.strings ?? [])
            case (.array, .int32): self = .integers((value.integers ?? []).map(Int32.init(clamping:)))
            default: return nil
            }
        }
    }

    /// Blocks of 32 numbers: a scale and a minimum in F16, then nibbles, the low ones first.
    private func halvesOfQ4_1(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        var halves = HalfBytes(capacity: bytes.count / 20 * 32)
        for block in stride(from: 0, to: bytes.count, by: 20) {
            let scale = number(bytes, at: block), minimum = number(bytes, at: block + 2)
            for shift in [UInt8(0), 4] {
                for index in block + 4..<block + 20 {
                    halves.append(Float(bytes[index] >> shift & 15) * scale + minimum)
                }
            }
        }
        return halves.bytes
    }

    /// Blocks of 32 numbers: a scale in F16, then whole numbers.
    private func halvesOfQ8_0(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        var halves = HalfBytes(capacity: bytes.count / 34 * 32)
        for block in stride(from: 0, to: bytes.count, by: 34) {
            let scale = number(bytes, at: block)
            for index in block + 2..<block + 34 { halves.append(Float(Int8(bitPattern: bytes[index])) * scale) }
        }
        return halves.bytes
    }

    /// A number in F16; those too small for its exponent count as 0.
    private func number(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Float {
        let bits = UInt32(bytes[offset]) | UInt32(bytes[offset + 1]) << 8
        guard bits & 0x7C00 != 0 else { return 0 }
        let magnitude = ((bits & 0x7FFF) << 13) + (112 << 23)
        return Float(bitPattern: (bits & 0x8000) << 16 | magnitude)
    }

    /// Numbers in F16, cut off rather than rounded.
    private struct HalfBytes {
        private(set) var bytes: [UInt8] = []

        init(capacity: Int) {
            bytes.reserveCapacity(2 * capacity)
        }

        mutating func append(_ number: Float) {
            let bits = number.bitPattern
            let exponent = bits >> 23 & 0xFF
            var half = bits >> 16 & 0x8000
            // Weights are far from the largest number.
            if exponent > 112 { half |= (exponent - 112) << 10 | bits >> 13 & 0x3FF }
            bytes.append(UInt8(truncatingIfNeeded: half))
            bytes.append(UInt8(truncatingIfNeeded: half >> 8))
        }
    }
#endif
