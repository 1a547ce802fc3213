// SPDX-License-Identifier: Apache-2.0

import CParleyKernels

extension PackedMatrix {
    /// About how many bytes of blocks a lane quantises before it packs them: they stay in its second-level cache.
    private static let blockBytesAtOnce = 1 << 18

    /// How floats become integers of 8 bits.
    package enum Quantization: Sendable {
        /// Q8_0, with a scale for every 32 columns.
        case blocks
        /// With a scale for every 256 columns: faster than blocks with many rows, slower with few.
        case groups

        /// The type of the matrix.
        package var type: MatrixType { self == .blocks ? .q8_0 : .q8_256 }
    }

    /// Quantises a row-major tensor of floats to 8 bits and packs it, on all lanes of the pool; returns nil if the type
    /// is no float type, `source` is too short, or the columns are no multiple of 32, which blocks need.
    ///
    /// - Parameters:
    ///   - type: the storage format of the values: F32, F16 or BF16.
    ///   - rows: the number of rows (outputs).
    ///   - columns: the number of columns (inputs).
    ///   - source: the values, with any alignment.
    ///   - quantization: the form of the integers.
    ///   - pool: the threads that do the work; no step may be running on them.
    ///   - finishedReading: called, in order, with each range of bytes of `source` that will not be read again.
    /// - Throws: ``AllocationError`` if the system has too little memory.
    package convenience init?(
        quantizing type: MatrixType, rows: Int, columns: Int, source: UnsafeRawBufferPointer,
        as quantization: Quantization, pool: WorkerPool, finishedReading: (Range<Int>) -> Void = { _ in }
    ) throws(AllocationError) {
        let target = quantization.type
        guard [.f32, .f16, .bf16].contains(type), let rowBytes = type.byteCount(columns: columns), columns > 0,
            rows >= 0, source.count >= rowBytes * rows, let base = source.baseAddress,
            let bytes = Self.byteCount(type: target, rows: rows, columns: columns)
        else { return nil }
        let buffer = try AlignedBuffer(byteCount: bytes)
        let blocks = quantization == .blocks ? try Blocks(columns: columns, pool: pool) : nil
        let panels = Self.panelCount(rows: rows)
        let step = max(Self.bytesAtOnce / (Int(PARLEY_PANEL_ROWS) * rowBytes), pool.laneCount)
        for first in stride(from: 0, to: panels, by: step) {
            let end = min(first + step, panels)
            pool.run { lane in
                let share = lane.share(of: end - first)
                let own = first + share.lowerBound..<first + share.upperBound
                if let blocks {
                    blocks.pack(type, base, rows: rows, panels: own, into: buffer, lane: lane.index)
                } else {
                    parley_pack_q8_256(
                        type.kernelType, base, columns, rows, columns, buffer.pointer, own.lowerBound, own.upperBound)
                }
            }
            let panelRows = Int(PARLEY_PANEL_ROWS)
            finishedReading(first * panelRows * rowBytes..<min(end * panelRows, rows) * rowBytes)
        }
        self.init(packed: buffer, type: target, rows: rows, columns: columns)
    }

    /// Memory for the blocks that lanes make before they pack them.
    private struct Blocks: Sendable {
        let columns: Int
        /// The panels whose blocks are made at a time.
        let strip: Int
        let buffer: AlignedBuffer

        init(columns: Int, pool: WorkerPool) throws(AllocationError) {
            self.columns = columns
            let panelBytes = Int(PARLEY_PANEL_ROWS) * parley_row_bytes(PARLEY_Q8_0, columns)
            strip = max(blockBytesAtOnce / panelBytes, 1)
            buffer = try AlignedBuffer(byteCount: strip * panelBytes * pool.laneCount)
        }

        /// Packs some panels of a tensor of `rows` rows that begins at `base`.
        func pack(
            _ type: MatrixType, _ base: UnsafeRawPointer, rows: Int, panels: Range<Int>, into target: AlignedBuffer,
            lane: Int
        ) {
            let (panelRows, panelBytes) = (Int(PARLEY_PANEL_ROWS), parley_panel_bytes(PARLEY_Q8_0, columns))
            let own = buffer.pointer + lane * strip * panelRows * parley_row_bytes(PARLEY_Q8_0, columns)
            for panel in stride(from: panels.lowerBound, to: panels.upperBound, by: strip) {
                let row = panel * panelRows
                let count = min(min(panel + strip, panels.upperBound) * panelRows, rows) - row
                parley_quantize_q8_0(
                    type.kernelType, base + row * parley_row_bytes(type.kernelType, columns),
                    count * (columns / Int(PARLEY_BLOCK_COLUMNS)), own)
                parley_pack(
                    PARLEY_Q8_0, own, count, columns, target.pointer + panel * panelBytes, 0, panelCount(rows: count))
            }
        }
    }
}
