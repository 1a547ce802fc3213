// SPDX-License-Identifier: Apache-2.0

import ParleySystem

/// The rules that end a generation before the context is full.
package struct StopRules: Sendable, Hashable {
    /// The maximum number of new tokens; nil for no limit other than the context.
    package var maxTokens: Int?
    /// The maximum duration of the generation, including processing of the prompt; nil for no limit.
    package var timeout: Duration?
    /// Whether end-of-generation tokens are treated like any other token, as measurements need it.
    package var ignoresEndOfGeneration: Bool

    /// Creates rules; by default only the model's end-of-generation token ends the generation.
    package init(maxTokens: Int? = nil, timeout: Duration? = nil, ignoresEndOfGeneration: Bool = false) {
        self.maxTokens = maxTokens
        self.timeout = timeout
        self.ignoresEndOfGeneration = ignoresEndOfGeneration
    }

    /// Checks that every value is in range.
    ///
    /// - Throws: ``RuntimeError`` with code `invalidInput`.
    package func validate() throws(RuntimeError) {
        if let maxTokens, maxTokens < 0 {
            throw RuntimeError(.invalidInput, "the budget of new tokens must be 0 or more, not \(maxTokens)")
        }
        if let timeout, timeout < .zero {
            throw RuntimeError(.invalidInput, "the timeout must be 0 or more, not \(timeout)")
        }
    }

    /// The deadline of a generation that starts at the given time; nil for no limit, or one too far away for a clock.
    func deadline(from start: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        timeout?.foreseeable.map { start + $0 }
    }
}
