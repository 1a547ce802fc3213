// SPDX-License-Identifier: Apache-2.0

/// A view of rows of floats in an ``AlignedBuffer``, with one row for each token.
///
/// The view does not own its memory, and is used only during the step to which the memory belongs.
package struct FloatRows: @unchecked Sendable {
    /// The first value of the first row.
    package let pointer: UnsafeMutablePointer<Float>
    /// How many rows there are.
    package let count: Int
    /// The number of values in a row.
    package let width: Int
    /// The distance between the starts of two rows, in values.
    package let stride: Int
    /// Whether each lane has its own copy of the rows; each lane then computes all rows and does not wait for the
    /// others.
    package let isPrivate: Bool

    /// Creates a view of memory as rows; without a stride, the rows follow each other without gaps.
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

    /// The columns `offset..<offset + width` of every row.
    package func columns(from offset: Int, width: Int) -> FloatRows {
        FloatRows(pointer: pointer + offset, count: count, width: width, stride: stride, isPrivate: isPrivate)
    }

    /// The rows in a range.
    package func rows(_ range: Range<Int>) -> FloatRows {
        FloatRows(
            pointer: row(range.lowerBound), count: range.count, width: width, stride: stride, isPrivate: isPrivate)
    }
}
