// SPDX-License-Identifier: Apache-2.0

/// A tensor's name, type and sizes, and the place of its data in the file.
package struct TensorDescriptor: Sendable, Hashable {
    /// The name, such as `blk.0.attn_q.weight`.
    package let name: String
    /// The number of the type in the GGUF format, known or not.
    package let typeCode: UInt32
    /// The sizes in GGUF's order: the first is the contiguous one.
    package let dimensions: [Int]
    /// The number of the file that holds the data, 0 unless the model is split.
    package let part: Int
    /// The place of the data in that file. For an unknown type it reaches to the next tensor.
    package let byteRange: Range<Int>

    /// The length of a row: the first dimension.
    package var columns: Int { dimensions.first ?? 1 }

    /// The number of rows: the product of all dimensions but the first.
    package var rows: Int { dimensions.dropFirst().reduce(1, *) }

    /// The number of elements, at most ``ByteSize/limit``.
    package var elementCount: Int { columns * rows }

    /// How the numbers are stored.
    ///
    /// - Throws: ``ModelFileError`` with code `unsupportedTensorType` for types that are not supported.
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

    /// The name of the type, also of unsupported ones; a number for unknown ones.
    package var typeName: String {
        TensorType(rawValue: typeCode)?.name ?? Self.unsupportedNames[typeCode] ?? "type \(typeCode)"
    }

    /// Types of the format that ``TensorType`` lacks.
    private static let unsupportedNames: [UInt32: String] = [
        9: "Q8_1", 15: "Q8_K", 16: "IQ2_XXS", 17: "IQ2_XS", 18: "IQ3_XXS", 19: "IQ1_S", 21: "IQ3_S", 22: "IQ2_S",
        24: "I8", 25: "I16", 26: "I32", 27: "I64", 28: "F64", 29: "IQ1_M", 34: "TQ1_0", 35: "TQ2_0", 39: "MXFP4",
        40: "NVFP4",
    ]
}
