// SPDX-License-Identifier: Apache-2.0

/// A view of consecutive rows of floats inside an ``AlignedBuffer``: one row a token.
///
/// The view does not own its memory; it lives inside the step whose scratch it points into.
package struct FloatRows: @unchecked Sendable {
    /// The first value of the first row.
    package let pointer: UnsafeMutablePointer<Float>
    /// How many rows there are.
    package let count: Int
    /// The values of a row.
    package let width: Int
    /// The distance between rows, in values.
    package let stride: Int
    /// Whether each lane has its own copy of the rows: then each computes all of them, and none waits for the others.
    package let isPrivate: Bool

    /// Views memory as rows.
    package init(
        pointer: UnsafeMutablePointer<Float>, count: Int, width: Int, stride: Int? = nil, isPrivate: Bool = false
    ) {
        self.pointer = pointer
        self.count = count
        self.width = width
        self.stride = stride ?? width
        self.isPrivate = isPrivate
    }

    /// The first value of a row.
    @inlinable
    package func row(_ index: Int) -> UnsafeMutablePointer<Float> {
        pointer + index * stride
    }

    /// The same columns of each row: `width` values from `offset` on.
    package func columns(from offset: Int, width: Int) -> FloatRows {
        FloatRows(pointer: pointer + offset, count: count, width: width, stride: stride, isPrivate: isPrivate)
    }

    /// Some of the rows.
    package func rows(_ range: Range<Int>) -> FloatRows {
        FloatRows(
            pointer: row(range.lowerBound), count: range.count, width: width, stride: stride, isPrivate: isPrivate)
    }
}
