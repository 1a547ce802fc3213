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
}
