// SPDX-License-Identifier: Apache-2.0

extension ContextPolicy {
    /// Selects the messages that fit into a token budget according to this policy.
    ///
    /// A turn is a user message with all messages up to the next one, so a call and its result are never separated.
    ///
    /// - Parameters:
    ///   - messages: the history.
    ///   - budget: the maximum length of the prompt in tokens: the context without what is reserved for the reply.
    ///   - count: returns the length in tokens of the exact prompt for some messages. It is called at most log2(turns)
    ///     + 2 times, and assumed to decrease as turns are dropped.
    /// - Returns: the messages to send, with the length of their prompt.
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
        // The smallest number of turns to drop lies in low...high, and dropping `high` turns is known to fit.
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

    /// Selects the messages that fit into a context beside the reply that is asked for.
    ///
    /// Under every policy, the prompt may take the context minus the requested number of new tokens. If no number is
    /// requested, or one larger than the context, room for a single token is enough. In that case, policies that may
    /// drop turns first drop them until half of the context is free.
    ///
    /// - Parameters:
    ///   - messages: the history.
    ///   - options: have the number of new tokens.
    ///   - context: the maximum number of tokens in prompt and reply together.
    ///   - count: as in ``fit(_:budget:count:)``, but called up to three times as often.
    /// - Returns: the messages to send, with the length of their prompt.
    /// - Throws: ``ConversationError`` with code `promptExceedsContext`, or what `count` throws.
    package func fit(
        _ messages: [ChatMessage], for options: GenerationOptions, context: Int, count: ([ChatMessage]) throws -> Int
    ) throws -> FittedPrompt {
        let budget = Self.budget(for: options, context: context)
        if let asked = options.maxTokens, asked < context { return try fit(messages, budget: budget, count: count) }
        if self != .error {
            do {
                return try fit(messages, budget: budget, count: count)
            } catch let error as ConversationError where error.code == .promptExceedsContext {}
        }
        return try fit(messages, budget: context - 1, count: count)
    }

    /// The number of tokens that a prompt should not exceed if turns may be dropped.
    package static func budget(for options: GenerationOptions, context: Int) -> Int {
        let asked = options.maxTokens.map { max($0, 1) } ?? context
        return context - (asked < context ? asked : context / 2)
    }

    /// Splits a history into the messages of system and developer at its start, and the turns after them.
    package static func split(_ messages: [ChatMessage]) -> (head: [ChatMessage], turns: [[ChatMessage]]) {
        let head = Array(messages.prefix { $0.role == .system || $0.role == .developer })
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
