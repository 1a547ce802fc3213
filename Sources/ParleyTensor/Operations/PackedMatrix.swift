// SPDX-License-Identifier: Apache-2.0

import CParleyKernels

/// A weight matrix with exactly the values of the file, rearranged for the kernels into panels of 16 rows.
package final class PackedMatrix: Sendable {
    /// The storage format of the values.
    package let type: MatrixType
    /// The number of rows, which is the number of outputs.
    package let rows: Int
    /// The number of columns, which is the number of inputs.
    package let columns: Int

    private let buffer: AlignedBuffer

    /// About how many bytes of the source are packed before their pages are released.
    static let bytesAtOnce = 8 << 20

    /// The size of a packed matrix in bytes; nil if the kernels do not support the type or the number of columns, or if
    /// the size overflows.
    package static func byteCount(type: MatrixType, rows: Int, columns: Int) -> Int? {
        guard rows >= 0, columns >= 0, columns < 1 << 40 else { return nil }
        let panel = parley_panel_bytes(type.kernelType, columns)
        let (bytes, overflows) = panel.multipliedReportingOverflow(by: panelCount(rows: rows))
        return panel == 0 || overflows ? nil : bytes
    }

    /// Packs a row-major tensor, a few megabytes at a time, on all lanes of the pool; returns nil if
    /// ``byteCount(type:rows:columns:)`` is nil or `source` is too short.
    ///
    /// - Parameters:
    ///   - type: the storage format of the values.
    ///   - rows: the number of rows (outputs).
    ///   - columns: the number of columns (inputs).
    ///   - source: the bytes of the tensor in the file.
    ///   - groups: nil if the rows follow each other in the source; otherwise how many equal groups they form, of whole
    ///     panels, and the distance between the starts of two groups in the source, in rows.
    ///   - pool: the threads that do the work; no step may be running on them.
    ///   - isLocked: whether the matrix must never be swapped out.
    ///   - finishedReading: called, in order, with each range of bytes of `source` that will not be read again.
    /// - Throws: ``AllocationError`` if the system has too little memory.
    package init?(
        type: MatrixType, rows: Int, columns: Int, source: UnsafeRawBufferPointer,
        groups: (count: Int, distance: Int)? = nil, pool: WorkerPool, isLocked: Bool = false,
        finishedReading: (Range<Int>) -> Void = { _ in }
    ) throws(AllocationError) {
        let (count, distance) = groups ?? (1, rows)
        guard let bytes = Self.byteCount(type: type, rows: rows, columns: columns),
            let rowBytes = type.byteCount(columns: columns), let base = source.baseAddress,
            count == 1 || (count > 0 && rows.isMultiple(of: count * Int(PARLEY_PANEL_ROWS))),
            source.count >= rowBytes * (distance * (count - 1) + rows / count)
        else { return nil }
        self.type = type
        self.rows = rows
        self.columns = columns
        let buffer = try AlignedBuffer(byteCount: bytes, isLocked: isLocked)
        self.buffer = buffer
        let groupRows = rows / count
        let panels = Self.panelCount(rows: groupRows)
        let panelBytes = rowBytes * Int(PARLEY_PANEL_ROWS)
        let step = max(Self.bytesAtOnce / panelBytes, pool.laneCount)
        for group in 0..<count {
            let start = group * distance * rowBytes
            let target = buffer.pointer + bytes / count * group
            for first in stride(from: 0, to: panels, by: step) {
                let end = min(first + step, panels)
                pool.run { lane in
                    let share = lane.share(of: end - first)
                    parley_pack(
                        type.kernelType, base + start, groupRows, columns, target, first + share.lowerBound,
                        first + share.upperBound)
                }
                finishedReading(start + first * panelBytes..<start + min(end * panelBytes, rowBytes * groupRows))
            }
        }
    }

    /// Creates a matrix of panels that are packed.
    init(packed buffer: AlignedBuffer, type: MatrixType, rows: Int, columns: Int) {
        (self.buffer, self.type, self.rows, self.columns) = (buffer, type, rows, columns)
    }

    /// Creates a matrix without values, which must not be multiplied, to check a network before it is loaded; returns
    /// nil if ``byteCount(type:rows:columns:)`` is nil.
    package init?(emptyOf type: MatrixType, rows: Int, columns: Int) {
        guard Self.byteCount(type: type, rows: rows, columns: columns) != nil else { return nil }
        (self.type, self.rows, self.columns) = (type, rows, columns)
        buffer = AlignedBuffer(smallByteCount: 0)
    }

    /// The size of the matrix in bytes.
    package var byteCount: Int { buffer.byteCount }

    /// The rows as floats, one after the other.
    ///
    /// - Parameter isLocked: whether the copy must never be swapped out.
    /// - Returns: the copy, `[rows, columns]`.
    /// - Throws: ``AllocationError`` if the system has too little memory.
    package func floats(isLocked: Bool) throws(AllocationError) -> AlignedBuffer {
        let copy = try AlignedBuffer(byteCount: rows * columns * MemoryLayout<Float>.stride, isLocked: isLocked)
        for row in 0..<rows { unpack(row: row, into: copy.floats + row * columns) }
        return copy
    }

    /// Writes one row as floats.
    func unpack(row: Int, into destination: UnsafeMutablePointer<Float>) {
        var matrix = kernelMatrix
        parley_unpack_row(&matrix, row, destination)
    }

    var panelCount: Int { Self.panelCount(rows: rows) }

    var kernelMatrix: parley_matrix {
        parley_matrix(panels: UnsafeRawPointer(buffer.pointer), type: type.kernelType, rows: rows, columns: columns)
    }

    /// The form of the rows that the matrix is multiplied with.
    enum RowForm {
        /// Floats as they are.
        case floats
        /// 8 bits, with a scale for every 32 columns.
        case blocks
        /// 8 bits, with a scale for every 256 columns.
        case groups
    }

    var rowForm: RowForm {
        type == .q8_256 ? .groups : parley_type_is_quantized(type.kernelType) ? .blocks : .floats
    }

    /// Whether rows are quantised to blocks; experts, who ask, have no groups.
    var takesBlocks: Bool {
        precondition(rowForm != .groups, "experts with a scale for 256 columns")
        return rowForm == .blocks
    }

    static func panelCount(rows: Int) -> Int {
        rows / Int(PARLEY_PANEL_ROWS) + (rows % Int(PARLEY_PANEL_ROWS) > 0 ? 1 : 0)
    }
}

extension AlignedBuffer {
    /// Converts the values of a tensor of any type to floats, in the order of the file; nil if ``PackedMatrix`` does
    /// not support the tensor.
    ///
    /// - Throws: ``AllocationError`` if the system has too little memory.
    package convenience init?(
        floatsOf type: MatrixType, count: Int, source: UnsafeRawBufferPointer, pool: WorkerPool, isLocked: Bool = false
    ) throws(AllocationError) {
        guard let row = try PackedMatrix(type: type, rows: 1, columns: count, source: source, pool: pool) else {
            return nil
        }
        try self.init(byteCount: count * MemoryLayout<Float>.stride, isLocked: isLocked)
        row.unpack(row: 0, into: floats)
    }
}
