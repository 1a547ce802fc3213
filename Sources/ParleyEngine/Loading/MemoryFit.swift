// SPDX-License-Identifier: Apache-2.0

package import ParleySystem

/// Whether a model fits into the memory of a machine.
package struct MemoryFit: Sendable, Hashable {
    /// The result of the check.
    package enum Verdict: Sendable, Hashable {
        /// It fits with the requested context.
        case fits
        /// It fits only with a shorter context, at most this many tokens.
        case fitsWithContext(Int)
        /// It does not fit, even with the shortest useful context.
        case doesNotFit
    }

    /// The result of the check.
    package let verdict: Verdict
    /// The requested context, in tokens.
    package let context: Int
    /// The memory that the model needs.
    package let plan: MemoryPlan
    /// The memory of the machine.
    package let memory: MachineMemory

    /// Checks whether a model fits.
    ///
    /// - Parameters:
    ///   - plan: the memory that the model needs.
    ///   - context: the requested context in tokens, at least 1.
    ///   - memory: the memory that this process may take, which is also the loader's limit.
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
