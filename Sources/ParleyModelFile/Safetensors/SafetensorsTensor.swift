// SPDX-License-Identifier: Apache-2.0

/// A tensor of a safetensors file: its name, type and shape, and the location of its data.
package struct SafetensorsTensor: Sendable, Hashable {
    /// The types of values, named as in the files.
    package enum ValueType: String, Sendable, Hashable, CaseIterable {
        case bool = "BOOL"
        case u8 = "U8"
        case i8 = "I8"
        case f8E5M2 = "F8_E5M2"
        case f8E4M3 = "F8_E4M3"
        case i16 = "I16"
        case u16 = "U16"
        case f16 = "F16"
        case bf16 = "BF16"
        case i32 = "I32"
        case u32 = "U32"
        case f32 = "F32"
        case f64 = "F64"
        case i64 = "I64"
        case u64 = "U64"

        /// The size of a value in bytes.
        package var byteCount: Int {
            switch self {
            case .bool, .u8, .i8, .f8E5M2, .f8E4M3: 1
            case .i16, .u16, .f16, .bf16: 2
            case .i32, .u32, .f32: 4
            case .f64, .i64, .u64: 8
            }
        }
    }

    /// The tensor's name, such as `model.layers.0.self_attn.q_proj.weight`.
    package let name: String
    /// The type of its values.
    package let type: ValueType
    /// The sizes, of which the last is the contiguous one; none for a single value.
    package let shape: [Int]
    /// The index of the file that holds the data; 0 unless the model is in several.
    package let part: Int
    /// The location of the data in that file.
    package let byteRange: Range<Int>

    /// The number of values.
    package var elementCount: Int { byteRange.count / type.byteCount }
}
