// SPDX-License-Identifier: Apache-2.0

import CParleyKernels

/// One thread's part in a step that several threads compute together.
///
/// All lanes of a step run the same code. Each operation of a lane does that lane's share of the work and returns when
/// the whole operation is complete, so that the code of a model reads as if it ran on one thread. Rows that are private
/// to each lane (``FloatRows/isPrivate``) are computed by every lane for itself, without waiting; for a few rows that
/// is faster than sharing them. The result for a row never depends on how the work was divided.
///
/// A lane holds only plain values and unowned references to objects of the pool, which lives longer than the step. If
/// lanes counted references to the same objects, the counters' cache lines would move between the cores a thousand
/// times for each token.
package struct Lane {
    /// The largest number of rows for which each lane does small operations for itself.
    package static var privateRows: Int { 4 }

    /// The lane's number, from 0; lane 0 is the calling thread, which takes part in every step.
    package let index: Int
    /// The largest number of lanes in the step; the exact number if shares are fixed.
    package let count: Int

    let kernels: UnsafePointer<parley_kernels>
    /// Scratch memory for products and attention.
    let work: UnsafeMutableRawPointer
    /// This lane's own memory for the quantised form of a few rows.
    let activations: UnsafeMutableRawPointer
    private let barrier: Unmanaged<LaneBarrier>
    private let patience: LanePatience
    /// Distributes the work in chunks; nil if each lane has a fixed share.
    private let claims: Unmanaged<ChunkClaims>?
    /// Where each lane's share of ``LaneShares/whole`` begins, and where the last one's ends; nil if shares are equal.
    private let bounds: UnsafePointer<Int>?
    private let counters: UnsafeMutablePointer<LaneCounters>

    /// Creates a lane of a step. No other lane uses its `scratch`, which is not resized before the step ends; `claims`
    /// is nil if each lane has a fixed share, and `bounds` if these are equal.
    init(
        _ index: Int, of count: Int, kernels: UnsafePointer<parley_kernels>, scratch: LaneScratch, barrier: LaneBarrier,
        patience: LanePatience, claims: ChunkClaims?, bounds: UnsafePointer<Int>? = nil
    ) {
        (self.index, self.count, self.kernels, self.patience, self.bounds) = (index, count, kernels, patience, bounds)
        (work, activations, counters) = (scratch.work.pointer, scratch.activations.pointer, scratch.counters)
        counters.pointee = LaneCounters()
        self.barrier = .passUnretained(barrier)
        self.claims = claims.map { .passUnretained($0) }
    }

    /// Whether each lane has a fixed share of every operation.
    var sharesAreFixed: Bool { claims == nil }

    /// Waits for all lanes and makes everything they wrote visible to all; allowed only if shares are fixed.
    package func synchronize() {
        let checks = barrier._withUnsafeGuaranteedRef { $0.wait(as: index, of: count, patience: patience) }
        counters.pointee.waited += checks
    }

    /// Calls `body` for each row of `y`, and returns when all rows are complete.
    func forEachRow(of y: FloatRows, _ body: (Int) -> Void) {
        if y.isPrivate {
            for row in 0..<y.count { body(row) }
        } else {
            divide(y.count) { for row in $0 { body(row) } }
        }
    }

    /// Calls `body` for parts of the rows of `y`, whose values it computes one by one, and returns when all are complete; so
    /// lanes also share a single row, such as the logits of a token.
    func forEachPart(of y: FloatRows, _ body: (_ values: UnsafeMutablePointer<Float>, _ count: Int) -> Void) {
        if y.isPrivate {
            for row in 0..<y.count { body(y.row(row), y.width) }
        } else {
            divide(parts: y.count, total: { _ in y.width }, granule: 64) { row, columns in
                body(y.row(row) + columns.lowerBound, columns.count)
            }
        }
    }

    /// Divides `total` items among the lanes, and returns when all are done.
    ///
    /// - Parameters:
    ///   - total: the number of items.
    ///   - granule: the size of a share is a multiple of it, except for the last share.
    ///   - body: does a range of items. The values it writes for an item must not depend on the range.
    package func divide(_ total: Int, granule: Int = 1, _ body: (Range<Int>) -> Void) {
        divide(parts: 1, total: { _ in total }, granule: granule) { _, items in body(items) }
    }

    /// Divides the items of several independent parts among the lanes, and returns when all are done.
    ///
    /// - Parameters:
    ///   - parts: the number of parts.
    ///   - total: returns the number of items of a part; any number to a lane for which the operation is over.
    ///   - granule: the size of a share of a part is a multiple of it, except for the last share.
    ///   - chunksPerLane: if shares are not fixed, the work is cut into this many chunks for each lane; more chunks
    ///     mean less waiting for the last one.
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
        // Also of operations without items: to a lane that has fallen behind, others may seem to have none.
        counters.pointee.operation += 1
        var granules = 0
        for part in 0..<parts { granules += (total(part) + granule - 1) / granule }
        guard granules > 0 else { return }
        let chunks = min(granules, count * chunksPerLane)
        claims._withUnsafeGuaranteedRef { claims in
            claims.run(counters.pointee.operation, chunks: chunks, as: index) { chunk in
                // The chunk's range of granules, counted over all parts in a row.
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

    /// This lane's contiguous share of `total` items; equal shares differ by at most one `granule`.
    func share(of total: Int, granule: Int = 1) -> Range<Int> {
        let granules = (total + granule - 1) / granule
        if let bounds {
            let half = LaneShares.whole / 2
            let lower = (granules * bounds[index] + half) / LaneShares.whole * granule
            let upper = (granules * bounds[index + 1] + half) / LaneShares.whole * granule
            return min(lower, total)..<min(upper, total)
        }
        let lower = granules * index / count * granule
        let upper = granules * (index + 1) / count * granule
        return min(lower, total)..<min(upper, total)
    }
}

/// What a lane counts in a step.
struct LaneCounters {
    /// The number of the operation that the lane is in, from 1; counted only if the work is distributed in chunks.
    var operation = 0
    /// How long the lane has waited for others, as a number of checks; counted only if shares are fixed.
    var waited = 0
}

/// The memory of one lane, kept from step to step.
///
/// `@unchecked Sendable`: during a step only its lane uses it, and only the pool's owner resizes it, between steps.
final class LaneScratch: @unchecked Sendable {
    /// Scratch memory for products and attention.
    private(set) var work = AlignedBuffer(smallByteCount: parley_matmul_scratch_bytes())
    /// The quantised form of a few rows, for this lane alone.
    private(set) var activations = AlignedBuffer(smallByteCount: 0)
    /// What the lane counts in a step, apart from what other lanes write.
    var counters: UnsafeMutablePointer<LaneCounters> {
        counterMemory.pointer.assumingMemoryBound(to: LaneCounters.self)
    }

    private let counterMemory = AlignedBuffer(smallByteCount: 128)

    /// Makes room for attention over `positions` positions, and for quantised rows of `columns` values.
    func reserve(positions: Int, columns: Int) throws(AllocationError) {
        let bytes = Self.workBytes(positions: positions)
        if work.byteCount < bytes { work = try AlignedBuffer(byteCount: bytes) }
        let activationBytes = Self.activationBytes(columns: columns)
        if activations.byteCount < activationBytes { activations = try AlignedBuffer(byteCount: activationBytes) }
    }

    /// The memory of ``work`` for attention over `positions` positions, in bytes.
    static func workBytes(positions: Int) -> Int {
        max(parley_matmul_scratch_bytes(), parley_attention_scratch_bytes(positions))
    }

    /// The memory of ``activations`` for rows of `columns` values, in bytes.
    static func activationBytes(columns: Int) -> Int { parley_activation_bytes(Lane.privateRows, columns) }
}
