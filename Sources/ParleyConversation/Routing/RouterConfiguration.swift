// SPDX-License-Identifier: Apache-2.0

extension ResponseRouter {
    /// What a router looks for.
    public struct Configuration: Sendable {
        /// The tags of reasoning; nil leaves them in the text.
        public var reasoning: ReasoningTags?
        /// Whether the prompt ends with the opening tag, so that the output begins inside reasoning; see
        /// ``ReasoningTags/areOpen(atEndOf:)``.
        public var startsInsideReasoning: Bool
        /// The budget of tokens for reasoning; nil for no bound.
        public var maxReasoningTokens: Int?
        /// How functions are called; nil and ``FunctionCallFormat/rawText`` leave calls in the text.
        public var functionCalls: FunctionCallFormat?
        /// The functions there are. They tell a bare JSON call from an answer that happens to be JSON; where this is
        /// empty, every name counts.
        public var functionNames: Set<String>
        /// The ids that calls may not have, because earlier ones have them.
        public var usedCallIDs: Set<String>
        /// Texts that end the reply when they come in the answer.
        public var stop: [String]

        /// Creates a configuration.
        public init(
            reasoning: ReasoningTags? = .think, startsInsideReasoning: Bool = false, maxReasoningTokens: Int? = nil,
            functionCalls: FunctionCallFormat? = nil, functionNames: Set<String> = [], usedCallIDs: Set<String> = [],
            stop: [String] = []
        ) {
            self.reasoning = reasoning
            self.startsInsideReasoning = startsInsideReasoning
            self.maxReasoningTokens = maxReasoningTokens
            self.functionCalls = functionCalls
            self.functionNames = functionNames
            self.usedCallIDs = usedCallIDs
            self.stop = stop
        }
    }
}
