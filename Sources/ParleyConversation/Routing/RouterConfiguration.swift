// SPDX-License-Identifier: Apache-2.0

extension ResponseRouter {
    /// The tags, function calls and stop strings that a router recognises.
    public struct Configuration: Sendable {
        /// The tags around reasoning; nil leaves reasoning in the text.
        public var reasoning: ReasoningTags?
        /// Whether the prompt ends with the opening tag, so that the output begins inside reasoning; see
        /// ``ReasoningTags/areOpen(atEndOf:)``.
        public var startsInsideReasoning: Bool
        /// The maximum number of reasoning tokens; nil for no limit.
        public var maxReasoningTokens: Int?
        /// The format of function calls; nil and ``FunctionCallFormat/rawText`` leave calls in the text.
        public var functionCalls: FunctionCallFormat?
        /// The names of the available functions. They distinguish a call without opening tag from an answer in JSON; if
        /// the set is empty, any name is accepted.
        public var functionNames: Set<String>
        /// The ids of earlier calls, which are not used again.
        public var usedCallIDs: Set<String>
        /// Texts that end the reply when they occur in the answer.
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
