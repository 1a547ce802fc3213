// SPDX-License-Identifier: Apache-2.0

import CParleyKernels

extension PackedMatrix {
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
    /// - Throws: ``AllocationError`` if the system has too little memory.
    package convenience init?(
        quantizing type: MatrixType, rows: Int, columns: Int, source: UnsafeRawBufferPointer, pool: WorkerPool
    ) throws(AllocationError) {
        let target = MatrixType(rawValue: PARLEY_Q8_0.rawValue)
        guard !parley_type_is_quantized(type.kernelType), let sourceBytes = type.byteCount(columns: columns),
            let rowBytes = target.byteCount(columns: columns), rows >= 0, source.count >= sourceBytes * rows,
            let base = source.baseAddress
        else { return nil }
        let blocks = try AlignedBuffer(byteCount: rowBytes * rows)
        pool.run { lane in
            let share = lane.share(of: rows)
            parley_quantize_q8_0(
                type.kernelType, base + share.lowerBound * sourceBytes,
                share.count * (columns / Int(PARLEY_BLOCK_COLUMNS)), blocks.pointer + share.lowerBound * rowBytes)
        }
        try self.init(
            type: target, rows: rows, columns: columns,
            source: UnsafeRawBufferPointer(start: blocks.pointer, count: blocks.byteCount), pool: pool)
        withExtendedLifetime(blocks) {}
    }
}
