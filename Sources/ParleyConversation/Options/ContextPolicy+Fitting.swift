// SPDX-License-Identifier: Apache-2.0

extension ContextPolicy {
    /// The messages that fit into a budget by this policy.
    ///
    /// A turn is a user's message with all that follows up to the next one, so that a call and its results go together.
    ///
    /// - Parameters:
    ///   - messages: the history.
    ///   - budget: the tokens a prompt may have: the context less what is kept for the reply.
    ///   - count: the tokens of the exact prompt that would be sent for these messages. It is called at most
    ///     log2(turns) + 2 times, and assumed to fall as turns are left out.
    /// - Returns: the messages to send, with the size of their prompt.
    /// - Throws: ``ConversationError`` with code `promptExceedsContext`, or what `count` throws.
    public func fit(
        _ messages: [ChatMessage], budget: Int, count: ([ChatMessage]) throws -> Int
    ) throws -> FittedPrompt {
        let whole = try count(messages)
        if whole <= budget { return FittedPrompt(messages: messages, promptTokens: whole, droppedTurns: 0) }
        guard self != .error else {
            throw ConversationError.promptExceedsContext(promptTokens: whole, contextTokens: budget)
        }
        let (head, turns) = Self.split(messages)
        func kept(dropping dropped: Int) -> [ChatMessage] { head + turns.dropFirst(dropped).joined() }
        let most = max(turns.count - 1, 0)
        var best = kept(dropping: most)
        var bestTokens = try count(best)
        guard bestTokens <= budget else {
            throw ConversationError.promptExceedsContext(promptTokens: bestTokens, contextTokens: budget)
        }
        // The least number of turns to drop lies in low...high, and dropping `high` is known to fit.
        var low = 1
        var high = most
        while low < high {
            let middle = (low + high) / 2
            let candidate = kept(dropping: middle)
            let tokens = try count(candidate)
            if tokens <= budget {
                (high, best, bestTokens) = (middle, candidate, tokens)
            } else {
                low = middle + 1
            }
        }
        return FittedPrompt(messages: best, promptTokens: bestTokens, droppedTurns: high)
    }

    /// The system messages at the start, and the turns after them.
    package static func split(_ messages: [ChatMessage]) -> (head: [ChatMessage], turns: [[ChatMessage]]) {
        let head = Array(messages.prefix { $0.role == .system })
        var turns: [[ChatMessage]] = []
        for message in messages.dropFirst(head.count) {
            if message.role == .user || turns.isEmpty {
                turns.append([message])
            } else {
                turns[turns.count - 1].append(message)
            }
        }
        return (head, turns)
    }
}
