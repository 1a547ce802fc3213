// SPDX-License-Identifier: Apache-2.0

import CParleyKernels

/// A weight matrix in the kernels' own order: exactly the file's values, laid out in panels of 16 rows.
public final class PackedMatrix: Sendable {
    /// How the values are stored.
    public let type: TensorType
    /// The number of outputs.
    public let rows: Int
    /// The number of inputs.
    public let columns: Int

    private let buffer: AlignedBuffer

    /// What is read before pages of the source can be given back.
    private static let bytesAtOnce = 8 << 20

    /// The bytes a packed matrix takes, or nil where the kernels do not know the type or the number of columns.
    public static func byteCount(type: TensorType, rows: Int, columns: Int) -> Int? {
        let panel = parley_panel_bytes(type.kernelType, columns)
        return panel == 0 ? nil : panel * panelCount(rows: rows)
    }

    /// Packs a row-major tensor, a few megabytes at a time; all lanes of the pool take part.
    ///
    /// - Parameters:
    ///   - source: the tensor as the file holds it.
    ///   - pool: the threads that do the work; must be idle.
    ///   - finishedReading: told each range of bytes of `source` that will not be read again, in order.
    /// - Returns: nil where ``byteCount(type:rows:columns:)`` is nil or `source` is too short.
    public init?(
        type: TensorType, rows: Int, columns: Int, source: UnsafeRawBufferPointer, pool: WorkerPool,
        finishedReading: (Range<Int>) -> Void = { _ in }
    ) {
        let rowBytes = columns / type.blockSize * type.blockBytes
        guard let bytes = Self.byteCount(type: type, rows: rows, columns: columns),
            let base = source.baseAddress, source.count >= rowBytes * rows
        else { return nil }
        self.type = type
        self.rows = rows
        self.columns = columns
        let buffer = AlignedBuffer(byteCount: bytes)
        self.buffer = buffer
        let panels = Self.panelCount(rows: rows)
        let panelBytes = rowBytes * Int(PARLEY_PANEL_ROWS)
        let step = max(Self.bytesAtOnce / panelBytes, pool.laneCount)
        for first in stride(from: 0, to: panels, by: step) {
            let end = min(first + step, panels)
            pool.run { lane in
                let share = lane.share(of: end - first)
                parley_pack(
                    type.kernelType, base, rows, columns, buffer.pointer, first + share.lowerBound,
                    first + share.upperBound)
            }
            finishedReading(first * panelBytes..<min(end * panelBytes, rowBytes * rows))
        }
    }

    /// The bytes the matrix takes in memory.
    public var byteCount: Int { buffer.byteCount }

    /// Writes one row as floats.
    func unpack(row: Int, into destination: UnsafeMutablePointer<Float>) {
        var matrix = kernelMatrix
        parley_unpack_row(&matrix, row, destination)
    }

    var panelCount: Int { Self.panelCount(rows: rows) }

    var kernelMatrix: parley_matrix {
        parley_matrix(panels: UnsafeRawPointer(buffer.pointer), type: type.kernelType, rows: rows, columns: columns)
    }

    var takesQuantizedRows: Bool { parley_type_is_quantized(type.kernelType) }

    private static func panelCount(rows: Int) -> Int {
        (rows + Int(PARLEY_PANEL_ROWS) - 1) / Int(PARLEY_PANEL_ROWS)
    }
}

extension AlignedBuffer {
    /// The values of a tensor of any type as floats, in the order of the file.
    ///
    /// - Returns: nil where ``PackedMatrix/init(type:rows:columns:source:pool:)`` is.
    public convenience init?(floatsOf type: TensorType, count: Int, source: UnsafeRawBufferPointer, pool: WorkerPool) {
        guard let row = PackedMatrix(type: type, rows: 1, columns: count, source: source, pool: pool) else {
            return nil
        }
        self.init(byteCount: count * MemoryLayout<Float>.stride)
        row.unpack(row: 0, into: floats)
    }
}

extension TensorType {
    var kernelType: parley_type { parley_type(rawValue: rawValue) }
}
