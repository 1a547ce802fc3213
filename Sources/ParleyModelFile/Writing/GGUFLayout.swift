// SPDX-License-Identifier: Apache-2.0

package import ParleySystem

/// The header of a GGUF file that is written, and where the data of its tensors lies.
///
/// Nothing is checked: whoever reads the header does that.
package struct GGUFLayout: Sendable {
    /// A tensor of the file.
    package struct Tensor: Sendable, Hashable {
        /// The tensor's name.
        package var name: String
        /// The number of its type in the GGUF format.
        package var typeCode: UInt32
        /// The dimensions, with the contiguous one first.
        package var dimensions: [Int]
        /// The size of its data in bytes.
        package var byteCount: Int

        /// Creates a tensor.
        package init(name: String, typeCode: UInt32, dimensions: [Int], byteCount: Int) {
            self.name = name
            self.typeCode = typeCode
            self.dimensions = dimensions
            self.byteCount = byteCount
        }
    }

    /// The bytes before the data, up to where it begins.
    package let header: [UInt8]
    /// The ranges of all numbers in the header, if they were asked for.
    package let fields: [Range<Int>]
    /// Where the data of each tensor begins in the file.
    package let offsets: [Int]
    /// The size of the whole file.
    package let size: ByteSize

    /// Lays out a file.
    ///
    /// - Parameters:
    ///   - version: the version of the format.
    ///   - alignment: the data, and each tensor in it, begin at a multiple of it; the metadata states it unless it is 32.
    ///   - metadata: the entries, in order.
    ///   - tensors: the tensors, in order.
    ///   - recordsFields: whether ``fields`` is filled.
    package init(
        version: UInt32 = 3, alignment: Int = 32, metadata: [GGUFEntry], tensors: [Tensor], recordsFields: Bool = false
    ) {
        var output = Output(recordsFields: recordsFields)
        output.bytes += Array("GGUF".utf8)
        output.append(version)
        let entries =
            alignment == 32 ? metadata : metadata + [GGUFEntry("general.alignment", .uint32(UInt32(alignment)))]
        output.append(UInt64(tensors.count))
        output.append(UInt64(entries.count))
        for entry in entries {
            output.append(entry.key)
            output.append(entry.value.type.rawValue)
            output.append(entry.value)
        }
        func aligned(_ offset: ByteSize) -> ByteSize {
            let rest = offset.count % alignment
            return rest == 0 ? offset : offset + ByteSize(clamping: alignment - rest)
        }
        var offset = ByteSize.zero
        var starts: [ByteSize] = []
        var end = ByteSize.zero
        for tensor in tensors {
            output.append(tensor.name)
            output.append(UInt32(tensor.dimensions.count))
            for dimension in tensor.dimensions { output.append(UInt64(dimension)) }
            output.append(tensor.typeCode)
            output.append(UInt64(offset.count))
            starts.append(offset)
            end = offset + ByteSize(clamping: tensor.byteCount)
            offset = aligned(end)
        }
        if !tensors.isEmpty {
            let padding = aligned(ByteSize(clamping: output.bytes.count)).count - output.bytes.count
            output.bytes += Array(repeating: 0, count: padding)
        }
        let start = ByteSize(clamping: output.bytes.count)
        header = output.bytes
        fields = output.fields
        offsets = starts.map { (start + $0).count }
        size = start + end
    }
}

/// Little-endian bytes.
private struct Output {
    var bytes: [UInt8] = []
    var fields: [Range<Int>] = []
    let recordsFields: Bool

    init(recordsFields: Bool) {
        self.recordsFields = recordsFields
    }

    mutating func append(_ number: some FixedWidthInteger) {
        let start = bytes.count
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
        if recordsFields { fields.append(start..<bytes.count) }
    }

    mutating func append(_ text: String) {
        append(UInt64(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    /// Appends the beginning of an array.
    private mutating func append(_ type: MetadataType, count: Int) {
        append(type.rawValue)
        append(UInt64(count))
    }

    mutating func append(_ value: GGUFValue) {
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
            append(type, count: elements.count)
            for element in elements { append(element) }
        case .uint64(let number): append(number)
        case .int64(let number): append(number)
        case .float64(let number): append(number.bitPattern)
        case .stored(let value):
            if let elementType = value.elementType {
                append(elementType, count: value.count)
            } else if value.type == .string {
                append(UInt64(value.range.count))
            }
            value.file.withUnsafeBytes { bytes.append(contentsOf: $0[value.range]) }
        case .strings(let elements):
            append(.string, count: elements.count)
            for element in elements { append(element) }
        case .integers(let elements):
            append(.int32, count: elements.count)
            for element in elements { append(element) }
        case .floats(let elements):
            append(.float32, count: elements.count)
            for element in elements { append(element.bitPattern) }
        case .bools(let elements):
            append(.bool, count: elements.count)
            for element in elements { append(UInt8(element ? 1 : 0)) }
        }
    }
}
