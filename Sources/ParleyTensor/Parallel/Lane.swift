// SPDX-License-Identifier: Apache-2.0

import CParleyKernels

/// One thread's part in a parallel step.
///
/// All lanes of a step run the same code side by side; every operation of a lane does a share of the work and returns
/// when the operation is complete, so that the code of a model reads as if one thread ran it. Rows that are private to
/// each lane (``FloatRows/isPrivate``) are computed by every lane for itself, with no waiting: for a few rows that is
/// cheaper. What an operation computes for a row never depends on how the work was shared.
///
/// A lane is plain values: what it refers to belongs to the pool, which outlives the step. Lanes that counted
/// references to the same objects would fight over cache lines, some thousand times a token.
package struct Lane {
    /// Up to this many rows, each lane does small operations for itself.
    package static var privateRows: Int { 4 }

    /// This lane's number, from 0. Lane 0 is the calling thread, which takes part in every step.
    package let index: Int
    /// How many lanes run the step at most; where shares are fixed, exactly.
    package let count: Int

    let kernels: UnsafePointer<parley_kernels>
    /// Scratch for products and attention.
    let work: UnsafeMutableRawPointer
    /// This lane's own room for the quantised form of a few rows.
    let activations: UnsafeMutableRawPointer
    private let barrier: Unmanaged<LaneBarrier>
    private let patience: LanePatience
    /// Where lanes take their work; nil where each has a fixed share.
    private let claims: Unmanaged<ChunkClaims>?
    private let operation: UnsafeMutablePointer<Int>

    /// Creates a lane of a step. Its `scratch` is its own and is not resized before the step ends; `claims` is nil
    /// where each lane has a fixed share.
    init(
        _ index: Int, of count: Int, kernels: UnsafePointer<parley_kernels>, scratch: LaneScratch, barrier: LaneBarrier,
        patience: LanePatience, claims: ChunkClaims?
    ) {
        (self.index, self.count, self.kernels, self.patience) = (index, count, kernels, patience)
        (work, activations, operation) = (scratch.work.pointer, scratch.activations.pointer, scratch.operation)
        operation.pointee = 0
        self.barrier = .passUnretained(barrier)
        self.claims = claims.map { .passUnretained($0) }
    }

    /// Whether each lane has a fixed share of every operation.
    var sharesAreFixed: Bool { claims == nil }

    /// Waits for all lanes; what each wrote before is then visible to all. Only where shares are fixed.
    package func synchronize() {
        barrier._withUnsafeGuaranteedRef { $0.wait(as: index, of: count, patience: patience) }
    }

    /// Does the rows of `y` one by one; returns when they are complete.
    func forEachRow(of y: FloatRows, _ body: (Int) -> Void) {
        if y.isPrivate {
            for row in 0..<y.count { body(row) }
        } else {
            divide(y.count) { for row in $0 { body(row) } }
        }
    }

    /// Divides `total` items among the lanes; returns when all are done.
    ///
    /// - Parameters:
    ///   - total: how many items there are.
    ///   - granule: shares are multiples of it, but for the last.
    ///   - body: does a range of items. Its writes may depend on the item alone, not on the range.
    func divide(_ total: Int, granule: Int = 1, _ body: (Range<Int>) -> Void) {
        divide(parts: 1, total: { _ in total }, granule: granule) { _, items in body(items) }
    }

    /// Divides the items of several parts that do not depend on each other; returns when all are done.
    ///
    /// - Parameters:
    ///   - parts: how many parts there are.
    ///   - total: how many items a part has.
    ///   - granule: shares of a part are multiples of it, but for the last.
    ///   - chunksPerLane: into how many chunks for each lane the work is cut where shares are not fixed: enough that no
    ///     lane waits long for the last one.
    ///   - body: does a range of items of one part.
    func divide(
        parts: Int, total: (Int) -> Int, granule: Int = 1, chunksPerLane: Int = 4,
        _ body: (_ part: Int, _ items: Range<Int>) -> Void
    ) {
        guard let claims else {
            for part in 0..<parts {
                let items = share(of: total(part), granule: granule)
                if !items.isEmpty { body(part, items) }
            }
            return synchronize()
        }
        var granules = 0
        for part in 0..<parts { granules += (total(part) + granule - 1) / granule }
        guard granules > 0 else { return }
        operation.pointee += 1
        let chunks = min(granules, count * chunksPerLane)
        claims._withUnsafeGuaranteedRef { claims in
            claims.run(operation.pointee, chunks: chunks, as: index) { chunk in
                // The chunk as a range of the granules of all parts, laid end to end.
                let (lower, upper) = (granules * chunk / chunks, granules * (chunk + 1) / chunks)
                var start = 0
                for part in 0..<parts {
                    let items = total(part)
                    let end = start + (items + granule - 1) / granule
                    if start < upper, lower < end {
                        let first = (max(lower, start) - start) * granule
                        body(part, first..<min((min(upper, end) - start) * granule, items))
                    }
                    start = end
                }
            }
        }
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
    /// The operation of the step the lane is in, from 1; counted only where lanes take their work in chunks.
    let operation: UnsafeMutablePointer<Int> = .allocate(capacity: 1)

    deinit {
        operation.deallocate()
    }

    /// Makes room for attention over so many positions and for the lane's own quantised rows.
    func reserve(positions: Int, columns: Int) throws(AllocationError) {
        let bytes = max(parley_matmul_scratch_bytes(), parley_attention_scratch_bytes(positions))
        if work.byteCount < bytes { work = try AlignedBuffer(byteCount: bytes) }
        let activationBytes = parley_activation_bytes(Lane.privateRows, columns)
        if activations.byteCount < activationBytes { activations = try AlignedBuffer(byteCount: activationBytes) }
    }
}
