// SPDX-License-Identifier: Apache-2.0

/// A view of consecutive rows of floats inside an ``AlignedBuffer``: one row a token.
///
/// The view does not own its memory; it lives inside the step whose scratch it points into.
public struct FloatRows: @unchecked Sendable {
    /// The first value of the first row.
    public let pointer: UnsafeMutablePointer<Float>
    /// How many rows there are.
    public let count: Int
    /// The values of a row.
    public let width: Int
    /// The distance between rows, in values.
    public let stride: Int
    /// Whether each lane has its own copy of the rows: then each computes all of them, and none waits for the others.
    public let isPrivate: Bool

    /// Views memory as rows.
    public init(
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
    public func row(_ index: Int) -> UnsafeMutablePointer<Float> {
        pointer + index * stride
    }

    /// The same columns of each row: `width` values from `offset` on.
    public func columns(from offset: Int, width: Int) -> FloatRows {
        FloatRows(pointer: pointer + offset, count: count, width: width, stride: stride, isPrivate: isPrivate)
    }

    /// Some of the rows.
    public func rows(_ range: Range<Int>) -> FloatRows {
        FloatRows(
            pointer: row(range.lowerBound), count: range.count, width: width, stride: stride, isPrivate: isPrivate)
    }
}
