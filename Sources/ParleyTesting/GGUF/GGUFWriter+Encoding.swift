// SPDX-License-Identifier: Apache-2.0

import ParleyModelFile

extension GGUFWriter {
    /// The bytes of the file, and the ranges of all numbers in its header, for tests that overwrite them.
    package func encodedWithFields() -> (bytes: [UInt8], fields: [Range<Int>]) {
        var output = Output()
        output.bytes += Array("GGUF".utf8)
        output.append(version)
        let entries = alignment == 32 ? metadata : metadata + [Entry("general.alignment", .uint32(UInt32(alignment)))]
        output.append(UInt64(tensors.count))
        output.append(UInt64(entries.count))
        for entry in entries {
            output.append(entry.key)
            output.append(entry.value.type.rawValue)
            output.append(entry.value)
        }
        var offset = 0
        for tensor in tensors {
            output.append(tensor.name)
            output.append(UInt32(tensor.dimensions.count))
            for dimension in tensor.dimensions { output.append(UInt64(dimension)) }
            output.append(tensor.typeCode)
            output.append(UInt64(offset))
            offset = aligned(offset + tensor.bytes.count)
        }
        for tensor in tensors {
            output.bytes += Array(repeating: 0, count: aligned(output.bytes.count) - output.bytes.count)
            output.bytes += tensor.bytes
        }
        return (output.bytes, output.fields)
    }

    private func aligned(_ offset: Int) -> Int {
        (offset + alignment - 1) / alignment * alignment
    }
}

extension GGUFWriter.Value {
    fileprivate var type: MetadataType {
        switch self {
        case .uint8: .uint8
        case .int8: .int8
        case .uint16: .uint16
        case .int16: .int16
        case .uint32: .uint32
        case .int32: .int32
        case .float32: .float32
        case .bool: .bool
        case .string: .string
        case .array: .array
        case .uint64: .uint64
        case .int64: .int64
        case .float64: .float64
        }
    }
}

/// Little-endian bytes, with a record of the ranges at which numbers were written.
private struct Output {
    var bytes: [UInt8] = []
    var fields: [Range<Int>] = []

    mutating func append(_ number: some FixedWidthInteger) {
        let start = bytes.count
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
        fields.append(start..<bytes.count)
    }

    mutating func append(_ text: String) {
        append(UInt64(text.utf8.count))
        bytes += Array(text.utf8)
    }

    mutating func append(_ value: GGUFWriter.Value) {
        switch value {
        case .uint8(let number): append(number)
        case .int8(let number): append(number)
        case .uint16(let number): append(number)
        case .int16(let number): append(number)
        case .uint32(let number): append(number)
        case .int32(let number): append(number)
        case .float32(let number): append(number.bitPattern)
        case .bool(let flag): append(UInt8(flag ? 1 : 0))
        case .string(let text): append(text)
        case .array(let type, let elements):
            append(type.rawValue)
            append(UInt64(elements.count))
            for element in elements { append(element) }
        case .uint64(let number): append(number)
        case .int64(let number): append(number)
        case .float64(let number): append(number.bitPattern)
        }
    }
}
