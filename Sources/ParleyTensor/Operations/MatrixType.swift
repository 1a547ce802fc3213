// SPDX-License-Identifier: Apache-2.0

import CParleyKernels

/// How the numbers of a matrix are stored, by the number of the type in the GGUF format. The kernels know some.
package struct MatrixType: RawRepresentable, Sendable, Hashable {
    /// The number of the type.
    package let rawValue: UInt32

    /// Names a type by its number, known to the kernels or not.
    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// The bytes that a row takes in a file; nil where the kernels do not support the type or the number of columns.
    package func byteCount(columns: Int) -> Int? {
        guard columns >= 0 else { return nil }
        let bytes = parley_row_bytes(kernelType, columns)
        return bytes > 0 ? bytes : nil
    }

    var kernelType: parley_type { parley_type(rawValue: rawValue) }
}
