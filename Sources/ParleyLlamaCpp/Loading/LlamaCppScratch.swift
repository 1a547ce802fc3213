// SPDX-License-Identifier: Apache-2.0

package import ParleySystem

/// The promise of the scratch memory of a context, which larger batches than before write to; it ends with the context.
///
/// Logits and activations are promised apart: without a large image, batches write all of the one and little of the other.
package struct LlamaCppScratch: Sendable {
    private let logits: MemoryReservation
    private let activations: MemoryReservation
    /// The most rows of a batch.
    private let rows: Int

    /// Promises the memory without checking whether it fits.
    package init(_ plan: LlamaCppMemoryPlan, in ledger: MemoryLedger) {
        logits = MemoryReservation(plan.logits.count, in: ledger)
        activations = MemoryReservation(plan.activations.count, in: ledger)
        rows = plan.rows
    }

    /// Records that a batch of so many tokens runs; must be called by one thread at a time.
    package func reached(tokens count: Int) {
        logits.reached(count, of: LlamaCppMemoryPlan.textRows)
        activations.reached(count, of: rows)
    }

    /// Records that so many rows of an image run; must be called by one thread at a time.
    package func reached(imageRows count: Int) {
        activations.reached(count, of: rows)
    }
}
