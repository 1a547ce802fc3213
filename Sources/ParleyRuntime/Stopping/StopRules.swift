// SPDX-License-Identifier: Apache-2.0

/// When a generation ends, apart from the model's own end-of-generation tokens and the context's end.
public struct StopRules: Sendable, Hashable {
    /// Texts that end the generation, also across tokens; they are not part of the output.
    public var strings: [String]
    /// The budget of new tokens; nil leaves the context as the only bound.
    public var maxTokens: Int?
    /// How long the generation may take, the prompt included; nil for no bound.
    public var timeout: Duration?

    /// Creates rules; by default there are none.
    public init(strings: [String] = [], maxTokens: Int? = nil, timeout: Duration? = nil) {
        self.strings = strings
        self.maxTokens = maxTokens
        self.timeout = timeout
    }

    /// Says which rule is out of range.
    ///
    /// - Throws: ``RuntimeError`` with code `invalidInput`.
    public func validate() throws(RuntimeError) {
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
