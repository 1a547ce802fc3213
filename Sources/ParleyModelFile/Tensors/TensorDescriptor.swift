// SPDX-License-Identifier: Apache-2.0

/// The name, type and dimensions of a tensor, and the location of its data.
package struct TensorDescriptor: Sendable, Hashable {
    /// The tensor's name, such as `blk.0.attn_q.weight`.
    package let name: String
    /// The number of the type in the GGUF format, which may be unknown.
    package let typeCode: UInt32
    /// The sizes in the order of GGUF, in which the first dimension is the contiguous one.
    package let dimensions: [Int]
    /// The index of the file that holds the data; 0 unless the model is split.
    package let part: Int
    /// The location of the data in that file; for unknown types it extends to the next tensor.
    package let byteRange: Range<Int>

    /// The length of a row, which is the first dimension.
    package var columns: Int { dimensions.first ?? 1 }

    /// The number of rows, which is the product of all other dimensions.
    package var rows: Int { dimensions.dropFirst().reduce(1, *) }

    /// The number of elements, at most ``ByteSize/limit``.
    package var elementCount: Int { columns * rows }

    /// The storage format of the values.
    ///
    /// - Throws: ``ModelFileError`` with code `unsupportedTensorType` if the type is not supported.
    package var type: TensorType {
        get throws(ModelFileError) {
            guard let type = TensorType(rawValue: typeCode) else {
                let names = TensorType.allCases.map(\.name).joined(separator: ", ")
                throw ModelFileError(
                    .unsupportedTensorType,
                    "The tensor \(name) is stored as \(typeName), which is not supported. Use a file quantised as one "
                        + "of \(names).")
            }
            return type
        }
    }

    /// The name of the type, even if it is not supported; its number if it is unknown.
    package var typeName: String {
        TensorType(rawValue: typeCode)?.name ?? Self.unsupportedNames[typeCode] ?? "type \(typeCode)"
    }

    /// The names of the format's types that ``TensorType`` does not have.
    private static let unsupportedNames: [UInt32: String] = [
        9: "Q8_1", 15: "Q8_K", 24: "I8", 25: "I16", 26: "I32", 27: "I64", 28: "F64", 40: "NVFP4",
    ]
}
