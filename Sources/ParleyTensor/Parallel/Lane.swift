// SPDX-License-Identifier: Apache-2.0

import CParleyKernels

/// One thread's part in a parallel step.
///
/// All lanes of a ``WorkerPool`` run the same code side by side; every operation of a lane does this lane's share and
/// returns when all lanes have done theirs, so that the code of a model reads as if one thread ran it. Rows that are
/// private to each lane (``FloatRows/isPrivate``) are computed by every lane for itself, with no waiting: for a few
/// rows that is cheaper. What an operation computes for a row never depends on how the work was shared.
public struct Lane {
    /// Up to this many rows, lanes do for themselves what is small.
    public static var privateRows: Int { 4 }

    /// This lane's number, from 0.
    public let index: Int
    /// How many lanes run the step.
    public let count: Int

    let kernels: UnsafePointer<parley_kernels>
    let scratch: LaneScratch
    let barrier: SpinBarrier

    /// Waits for all lanes; what each wrote before is then visible to all.
    public func synchronize() {
        barrier.wait()
    }

    /// The rows that this lane writes.
    func rows(of y: FloatRows) -> Range<Int> {
        y.isPrivate ? 0..<y.count : share(of: y.count)
    }

    /// Returns when the rows are complete.
    func finish(_ y: FloatRows) {
        if !y.isPrivate { synchronize() }
    }

    /// This lane's contiguous share of `total` items: shares differ by at most one `granule`.
    func share(of total: Int, granule: Int = 1) -> Range<Int> {
        let granules = (total + granule - 1) / granule
        let lower = granules * index / count * granule
        let upper = granules * (index + 1) / count * granule
        return min(lower, total)..<min(upper, total)
    }
}

/// Memory of one lane that lives across steps.
///
/// `@unchecked Sendable`: only its lane touches it inside a step, and only the pool's owner resizes it between steps.
final class LaneScratch: @unchecked Sendable {
    /// Scratch for products and attention.
    private(set) var work = AlignedBuffer(smallByteCount: parley_matmul_scratch_bytes())
    /// Quantised rows of this lane alone.
    private(set) var activations = AlignedBuffer(smallByteCount: 0)

    /// Makes room for attention over so many positions and for the lane's own quantised rows.
    func reserve(positions: Int, columns: Int) throws(AllocationError) {
        let bytes = max(parley_matmul_scratch_bytes(), parley_attention_scratch_bytes(positions))
        if work.byteCount < bytes { work = try AlignedBuffer(byteCount: bytes) }
        let activationBytes = parley_activation_bytes(Lane.privateRows, columns)
        if activations.byteCount < activationBytes { activations = try AlignedBuffer(byteCount: activationBytes) }
    }
}
