// SPDX-License-Identifier: Apache-2.0

import CParleyKernels

/// Memory for rows of activations, quantised to 8 bits for the kernels, that all lanes of a step share.
package final class QuantizedRows: Sendable {
    let buffer: AlignedBuffer

    /// Allocates memory for `count` rows of at most `columns` values.
    ///
    /// - Throws: ``AllocationError`` if the system has too little memory.
    package init(count: Int, columns: Int) throws(AllocationError) {
        buffer = try AlignedBuffer(byteCount: Self.byteCount(count: count, columns: columns))
    }

    /// The memory that `count` rows of `columns` values need, in bytes.
    package static func byteCount(count: Int, columns: Int) -> Int {
        parley_activation_bytes(count, columns)
    }
}
