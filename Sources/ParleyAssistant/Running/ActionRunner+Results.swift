// SPDX-License-Identifier: Apache-2.0

extension ActionRunner {
    /// What a runner may do.
    public struct Settings: Sendable {
        /// Decides which actions need consent.
        public var policy = ActionPolicy()
        /// Whether cards are only planned and shown.
        public var isDryRun = false
        /// The longest time for a search on the web.
        public var searchTime = Duration.seconds(10)

        /// Creates the default settings.
        public init() {}
    }

    /// What became of a reply.
    public struct Outcome: Sendable {
        /// The text without its blocks.
        public var text: String
        /// The cards of its blocks and function calls, in order.
        public var cards: [ActionCard]
        /// The second pass that is wanted, if the reply searched the web.
        public var webPass: WebPass?

        /// Whether the model is to go on, because tools that it called have answered.
        public var wantsReply: Bool { cards.wantReply }
        /// Whether a card shows text that others may have written, so that whatever the model does after it has read
        /// the card must ask.
        public var hasUntrustedResults: Bool { cards.contains { $0.hasUntrustedResults } }
    }

    /// What became of a choice.
    public struct Answer: Sendable {
        /// The card; nil if the runner does not know it.
        public var card: ActionCard?
        /// The second pass that is wanted, if the choice was to search the web.
        public var webPass: WebPass?
    }
}

extension [ActionCard] {
    /// Whether the cards of a reply call tools, of which at least one was called and none waits for consent.
    var wantReply: Bool {
        let calls = filter { $0.tag == .tool }
        return calls.allSatisfy { $0.stage != .proposed } && calls.contains { [.done, .failed].contains($0.stage) }
    }
}
