// SPDX-License-Identifier: Apache-2.0

package import ParleyModelFile
package import ParleyTensor

extension TensorDescriptor {
    /// The storage format of the tensor, in the form that the kernels take.
    ///
    /// - Throws: `ModelFileError` with code `unsupportedTensorType` for types that are not supported.
    package var matrixType: MatrixType {
        get throws { MatrixType(rawValue: try type.rawValue) }
    }
}
