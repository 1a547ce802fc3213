// SPDX-License-Identifier: Apache-2.0

package import ParleySystem

/// Whether a model fits into the memory of a machine.
package struct MemoryFit: Sendable, Hashable {
    /// The judgement.
    package enum Verdict: Sendable, Hashable {
        /// It fits with the context that was asked for.
        case fits
        /// It fits with a shorter context, of so many tokens at most.
        case fitsWithContext(Int)
        /// It does not fit with any useful context.
        case doesNotFit
    }

    /// The judgement.
    package let verdict: Verdict
    /// The context that was asked for, in tokens.
    package let context: Int
    /// The memory of the model.
    package let plan: MemoryPlan
    /// The memory of the machine.
    package let memory: MachineMemory

    /// Judges whether a model fits.
    ///
    /// - Parameters:
    ///   - plan: the sizes of the model.
    ///   - context: the tokens to hold, at least 1.
    ///   - memory: what this process may take; the loader refuses what does not fit into it.
    package init(_ plan: MemoryPlan, context: Int, memory: MachineMemory = .current()) {
        self.plan = plan
        self.context = context
        self.memory = memory
        switch plan.largestContext(within: memory.available, limit: context) {
        case context?: verdict = .fits
        case let shorter?: verdict = .fitsWithContext(shorter)
        case nil: verdict = .doesNotFit
        }
    }
}
