// SPDX-License-Identifier: Apache-2.0

import CParleyKernels

/// Memory for rows of activations, quantised to 8 bits for the kernels, that all lanes of a step share.
package final class QuantizedRows: Sendable {
    let buffer: AlignedBuffer

    /// Allocates memory for `count` rows of at most `columns` values.
    ///
    /// - Parameters:
    ///   - count: the number of rows.
    ///   - columns: the most values of a row.
    ///   - quantization: of the matrices that they are multiplied with; `.groups` leaves room for both forms.
    /// - Throws: ``AllocationError`` if the system has too little memory.
    package init(
        count: Int, columns: Int, for quantization: PackedMatrix.Quantization = .blocks
    ) throws(AllocationError) {
        buffer = try AlignedBuffer(byteCount: Self.byteCount(count: count, columns: columns, for: quantization))
    }

    /// The memory that these rows need, in bytes.
    package static func byteCount(
        count: Int, columns: Int, for quantization: PackedMatrix.Quantization = .blocks
    ) -> Int {
        let blocks = parley_activation_bytes(count, columns)
        return quantization == .blocks ? blocks : max(blocks, parley_q8_256_activation_bytes(count, columns))
    }
}
