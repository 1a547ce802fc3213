// SPDX-License-Identifier: Apache-2.0

import ParleyConstraint
import ParleyConversation
import ParleyRuntime
import ParleyTokenizer

/// How far a reply has come, as a pure state machine over its tokens.
struct ReplyState: Sendable {
    /// What restricts the reply now.
    private enum Stage {
        /// Nothing, or nothing any more.
        case free
        /// The answer follows a grammar from here on; the token that opens reasoning may come first.
        case whole(Constraint, opensReasoning: TokenID?)
        /// The model reasons; what follows the closing tag is restricted, and has to come.
        case reasoningBeforeWhole(LazyConstraint)
        /// Calls of functions are restricted, outside reasoning.
        case calls(LazyConstraint)
    }

    private let tokenizer: Tokenizer
    private let reasoningTags: ReasoningTags
    private var reader: ReplyReader
    private var router: ResponseRouter
    private var stage: Stage
    /// What the answer follows when reasoning has been opened by the model itself.
    private var reasonedConstraint: LazyConstraint?
    /// Tokens that have to come next, whatever the model wants.
    private var forced: ArraySlice<TokenID> = []
    private var parts: [ResponsePart] = []
    /// When finding out what may come next is given up.
    private let deadline: ContinuousClock.Instant?
    /// Why it was given up: the reply cannot go on then.
    private(set) var failure: ConstraintError?

    /// - Parameters:
    ///   - configuration: what the router looks for.
    ///   - mayReason: whether the model may open reasoning itself.
    ///   - deadline: when the reply ends at the latest.
    init(
        tokenizer: Tokenizer, configuration: ResponseRouter.Configuration, rule: AnswerRule, mayReason: Bool,
        deadline: ContinuousClock.Instant? = nil
    ) {
        self.tokenizer = tokenizer
        self.deadline = deadline
        reasoningTags = configuration.reasoning ?? .think
        let tags = [reasoningTags.opening, reasoningTags.closing] + (configuration.functionCalls?.tags ?? [])
        let stops = StopStrings(configuration.stop, tokenizer: tokenizer)
        reader = ReplyReader(tokenizer, showing: tags, stops: stops)
        var configuration = configuration
        configuration.stop = stops.strings
        router = ResponseRouter(configuration)
        stage = .free
        switch rule {
        case .free: break
        case .calls(let call):
            stage = .calls(LazyConstraint([call], trie: call.masks.trie))
        case .whole(let masks, let afterReasoning):
            let reasoned = LazyConstraint(
                [.init(trigger: reasoningTags.closing, masks: afterReasoning, then: .end)], trie: masks.trie)
            if router.isReasoning {
                stage = .reasoningBeforeWhole(reasoned)
            } else {
                reasonedConstraint = reasoned
                let opening = mayReason ? tokenizer.id(ofSpelling: reasoningTags.opening) : nil
                stage = .whole(Constraint(masks), opensReasoning: opening)
            }
        }
        forceClosing()
    }

    /// Whether the reply ends here.
    var isComplete: Bool {
        if router.hasStopped { return true }
        return switch stage {
        case .free: false
        case .whole(let constraint, _): constraint.isComplete
        case .reasoningBeforeWhole(let constraint), .calls(let constraint): constraint.isComplete
        }
    }

    /// Sets a mask to the tokens that may come next, and to none where that cannot be found out; false where every token
    /// may.
    mutating func allow(into mask: inout TokenMask) -> Bool {
        do {
            return try restrict(&mask)
        } catch {
            failure = error
            mask = TokenMask(vocabularySize: tokenizer.vocabularySize)
            return true
        }
    }

    private func restrict(_ mask: inout TokenMask) throws(ConstraintError) -> Bool {
        if let token = forced.first {
            mask = TokenMask(vocabularySize: tokenizer.vocabularySize)
            mask[token] = true
            return true
        }
        switch stage {
        case .free: return false
        case .whole(let constraint, let opening):
            try constraint.allow(into: &mask, deadline: deadline)
            if let opening { mask[opening] = true }
            return true
        case .calls(let constraint):
            return router.isReasoning ? false : try constraint.allow(into: &mask, deadline: deadline)
        case .reasoningBeforeWhole(let constraint):
            let isRestricted = try constraint.allow(into: &mask, deadline: deadline)
            if constraint.isConstrained { return true }
            // The answer has to come.
            if !isRestricted { mask = TokenMask(vocabularySize: tokenizer.vocabularySize, allowingAll: true) }
            for token in tokenizer.endOfGeneration { mask[token] = false }
            return true
        }
    }

    /// Reads a token of the reply.
    mutating func accept(_ token: TokenID) {
        let wasReasoning = router.isReasoning
        let stopsCount = !wasReasoning && !router.isInsideFunctionCall
        parts += router.append(reader.append(token, marking: stopsCount))
        if forced.first == token { forced = forced.dropFirst() }
        advance(over: token, wasReasoning: wasReasoning)
        forceClosing()
    }

    mutating func takeParts() -> [ResponsePart] {
        defer { parts = [] }
        return parts.map(reader.shown).filter { $0 != .text("") }
    }

    mutating func finish(
        _ reason: ParleyConversation.FinishReason
    ) -> (parts: [ResponsePart], rawOutput: String, reasoningTokens: Int) {
        parts += router.append(reader.finish(), tokens: 0)
        parts += router.finish(reason)
        return (takeParts(), reader.shown(router.rawOutput), router.reasoningTokens)
    }

    private mutating func advance(over token: TokenID, wasReasoning: Bool) {
        switch stage {
        case .free: break
        case .whole(_, let opening?) where token == opening:
            if let reasonedConstraint { stage = .reasoningBeforeWhole(reasonedConstraint) }
        case .whole(var constraint, _):
            _ = constraint.accept(token)
            stage = .whole(constraint, opensReasoning: nil)
        case .reasoningBeforeWhole(var constraint):
            _ = constraint.accept(token)
            stage = .reasoningBeforeWhole(constraint)
        case .calls(var constraint):
            guard !wasReasoning, !router.isReasoning else { return }
            _ = constraint.accept(token)
            stage = .calls(constraint)
        }
    }

    /// Has the closing tag come next where the budget of reasoning is spent.
    private mutating func forceClosing() {
        guard forced.isEmpty, let text = router.reasoningClosing else { return }
        forced = tokenizer.encode([TextSegment(text, origin: .template)])[...]
    }
}
