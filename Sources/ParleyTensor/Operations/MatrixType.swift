// SPDX-License-Identifier: Apache-2.0

import CParleyKernels

/// The storage format of a matrix, identified by the type number of the GGUF format, or of the kernels where no file has it;
/// the kernels support some of them.
package struct MatrixType: RawRepresentable, Sendable, Hashable {
    /// The number of the type.
    package let rawValue: UInt32

    /// Creates the type with a number, whether or not the kernels support it.
    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Single precision.
    package static let f32 = MatrixType(rawValue: PARLEY_F32.rawValue)
    /// Half precision.
    package static let f16 = MatrixType(rawValue: PARLEY_F16.rawValue)
    /// Single precision without its lower half.
    package static let bf16 = MatrixType(rawValue: PARLEY_BF16.rawValue)
    /// 8 bits, with a scale for every 32 columns.
    package static let q8_0 = MatrixType(rawValue: PARLEY_Q8_0.rawValue)
    /// 8 bits, with a scale for every 256 columns: no type of a file, see ``PackedMatrix/Quantization/groups``.
    package static let q8_256 = MatrixType(rawValue: PARLEY_Q8_256.rawValue)

    /// The size of a row in a file in bytes; nil if the kernels do not support the type or the number of columns.
    package func byteCount(columns: Int) -> Int? {
        guard columns >= 0 else { return nil }
        let bytes = parley_row_bytes(kernelType, columns)
        return bytes > 0 ? bytes : nil
    }

    var kernelType: parley_type { parley_type(rawValue: rawValue) }
}
