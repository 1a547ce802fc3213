// SPDX-License-Identifier: Apache-2.0

import ParleyModelFile

extension GGUFWriter {
    /// The bytes of the file, and the ranges of all numbers in its header, for tests that overwrite them.
    package func encodedWithFields() -> (bytes: [UInt8], fields: [Range<Int>]) {
        let layout = GGUFLayout(
            version: version, alignment: alignment, metadata: metadata.map { GGUFEntry($0.key, $0.value.stored) },
            tensors: tensors.map { tensor in
                .init(
                    name: tensor.name, typeCode: tensor.typeCode, dimensions: tensor.dimensions,
                    byteCount: tensor.bytes.count)
            }, recordsFields: true)
        var bytes = layout.header
        for (tensor, offset) in zip(tensors, layout.offsets) {
            bytes += Array(repeating: 0, count: offset - bytes.count)
            bytes += tensor.bytes
        }
        return (bytes, layout.fields)
    }
}

extension GGUFWriter.Value {
    fileprivate var stored: GGUFValue {
        switch self {
        case .uint8(let number): .uint8(number)
        case .int8(let number): .int8(number)
        case .uint16(let number): .uint16(number)
        case .int16(let number): .int16(number)
        case .uint32(let number): .uint32(number)
        case .int32(let number): .int32(number)
        case .float32(let number): .float32(number)
        case .bool(let flag): .bool(flag)
        case .string(let text): .string(text)
        case .array(let type, let elements): .array(type, elements.map(\.stored))
        case .uint64(let number): .uint64(number)
        case .int64(let number): .int64(number)
        case .float64(let number): .float64(number)
        }
    }
}
