// SPDX-License-Identifier: Apache-2.0

import CParleyKernels

extension PackedMatrix {
    /// About how many bytes of blocks a lane quantises before it packs them: they stay in its second-level cache.
    private static let blockBytesAtOnce = 1 << 18

    /// Quantises a row-major tensor of floats to Q8_0 (8 bits, a scale for every 32 columns) and packs it, on all lanes
    /// of the pool; returns nil if the type is no float type, the columns are no multiple of 32, or `source` is too
    /// short.
    ///
    /// - Parameters:
    ///   - type: the storage format of the values: F32, F16 or BF16.
    ///   - rows: the number of rows (outputs).
    ///   - columns: the number of columns (inputs).
    ///   - source: the values, with any alignment.
    ///   - pool: the threads that do the work; no step may be running on them.
    ///   - finishedReading: called, in order, with each range of bytes of `source` that will not be read again.
    /// - Throws: ``AllocationError`` if the system has too little memory.
    package convenience init?(
        quantizing type: MatrixType, rows: Int, columns: Int, source: UnsafeRawBufferPointer, pool: WorkerPool,
        finishedReading: (Range<Int>) -> Void = { _ in }
    ) throws(AllocationError) {
        let target = MatrixType(rawValue: PARLEY_Q8_0.rawValue)
        guard !parley_type_is_quantized(type.kernelType), let sourceBytes = type.byteCount(columns: columns),
            let rowBytes = target.byteCount(columns: columns), columns > 0, rows >= 0,
            source.count >= sourceBytes * rows, let base = source.baseAddress,
            let bytes = Self.byteCount(type: target, rows: rows, columns: columns)
        else { return nil }
        let buffer = try AlignedBuffer(byteCount: bytes)
        let panelRows = Int(PARLEY_PANEL_ROWS)
        let (panels, panelBytes) = (Self.panelCount(rows: rows), parley_panel_bytes(target.kernelType, columns))
        let strip = max(Self.blockBytesAtOnce / (panelRows * rowBytes), 1)
        let stripBytes = strip * panelRows * rowBytes
        let blocks = try AlignedBuffer(byteCount: stripBytes * pool.laneCount)
        let step = max(Self.bytesAtOnce / (panelRows * sourceBytes), pool.laneCount)
        for first in stride(from: 0, to: panels, by: step) {
            let end = min(first + step, panels)
            pool.run { lane in
                let share = lane.share(of: end - first)
                let own = blocks.pointer + lane.index * stripBytes
                for panel in stride(from: first + share.lowerBound, to: first + share.upperBound, by: strip) {
                    let row = panel * panelRows
                    let count = min(min(panel + strip, first + share.upperBound) * panelRows, rows) - row
                    parley_quantize_q8_0(
                        type.kernelType, base + row * sourceBytes, count * (columns / Int(PARLEY_BLOCK_COLUMNS)), own)
                    parley_pack(
                        target.kernelType, own, count, columns, buffer.pointer + panel * panelBytes, 0,
                        Self.panelCount(rows: count))
                }
            }
            finishedReading(first * panelRows * sourceBytes..<min(end * panelRows, rows) * sourceBytes)
        }
        self.init(packed: buffer, type: target, rows: rows, columns: columns)
    }
}
