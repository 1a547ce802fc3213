// SPDX-License-Identifier: Apache-2.0

import CParleyKernels

/// Room for rows of activations in the kernels' 8-bit form, shared by all lanes of a step.
package final class QuantizedRows: Sendable {
    let buffer: AlignedBuffer

    /// Allocates room for `count` rows of at most `columns` values.
    ///
    /// - Throws: ``AllocationError`` where the system has no memory for them.
    package init(count: Int, columns: Int) throws(AllocationError) {
        buffer = try AlignedBuffer(byteCount: Self.byteCount(count: count, columns: columns))
    }

    /// The bytes that so many rows take.
    package static func byteCount(count: Int, columns: Int) -> Int {
        parley_activation_bytes(count, columns)
    }
}
