// SPDX-License-Identifier: Apache-2.0

/// When a generation ends, apart from the context's end.
package struct StopRules: Sendable, Hashable {
    /// The budget of new tokens; nil leaves the context as the only bound.
    package var maxTokens: Int?
    /// How long the generation may take, the prompt included; nil for no bound.
    package var timeout: Duration?
    /// Whether the model's own end-of-generation tokens are tokens like any other, for measurements.
    package var ignoresEndOfGeneration: Bool

    /// Creates rules; by default only the model ends its turn.
    package init(maxTokens: Int? = nil, timeout: Duration? = nil, ignoresEndOfGeneration: Bool = false) {
        self.maxTokens = maxTokens
        self.timeout = timeout
        self.ignoresEndOfGeneration = ignoresEndOfGeneration
    }

    /// Checks that every rule is in range.
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

    /// When a generation that starts now has to end; nil for no bound, or one beyond any clock.
    func deadline(from start: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        timeout.flatMap { $0 < Self.foreseeable ? start + $0 : nil }
    }

    /// About thirty thousand years.
    private static let foreseeable = Duration.seconds(1_000_000_000_000)
}
