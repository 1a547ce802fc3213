// SPDX-License-Identifier: Apache-2.0

package import ParleyModelFile
package import ParleyTensor

extension TensorDescriptor {
    /// How the numbers are stored, as the kernels are told.
    ///
    /// - Throws: `ModelFileError` with code `unsupportedTensorType` for types that are not supported.
    package var matrixType: MatrixType {
        get throws { MatrixType(rawValue: try type.rawValue) }
    }
}
