// SPDX-License-Identifier: Apache-2.0

import ParleyConstraint
import ParleyConversation
import ParleyRuntime
import ParleyTokenizer

/// Applies the rule of an answer to the tokens of a reply, as a pure state machine; reasoning itself is unconstrained.
struct AnswerConstraint: TokenConstraint {
    /// The constraint that currently applies.
    private enum Stage {
        /// There is no constraint, or none any more.
        case free
        /// The answer follows a grammar from here on, or reasoning begins: these tokens are what is left of its opening
        /// tag, with which the answer may begin as well; none if reasoning is not possible.
        case whole(Constraint, opensReasoning: ArraySlice<TokenID>)
        /// The model is reasoning, or must still write the rest of the opening tag; the answer after the closing tag is
        /// constrained and must not be missing.
        case reasoningBeforeWhole(LazyConstraint)
        /// Function calls and blocks outside reasoning are constrained.
        case parts(LazyConstraint)
    }

    private let tokenizer: Tokenizer
    private var stage: Stage
    /// The constraint on the answer that follows reasoning which the model itself has begun.
    private var reasonedConstraint: LazyConstraint?
    /// Tokens that must come next, regardless of the logits.
    private var forced: ArraySlice<TokenID> = []
    /// Whether the reply is currently inside reasoning.
    private var isReasoning: Bool
    /// The time after which computing a mask is given up.
    private let deadline: ContinuousClock.Instant?
    /// The error that prevented a mask from being computed or a token from being read, after which the reply cannot
    /// continue.
    private(set) var failure: ConstraintError?

    /// Creates a constraint for a rule.
    ///
    /// - Parameters:
    ///   - rule: the rule of the answer.
    ///   - tokenizer: the model's tokenizer.
    ///   - reasoning: the tags that enclose reasoning.
    ///   - isReasoning: whether the reply begins inside reasoning.
    ///   - mayReason: whether the model may begin reasoning itself.
    ///   - deadline: the time at which the reply must end; nil for no limit.
    init(
        _ rule: AnswerRule, tokenizer: Tokenizer, reasoning: ReasoningTags, isReasoning: Bool, mayReason: Bool,
        deadline: ContinuousClock.Instant? = nil
    ) {
        self.tokenizer = tokenizer
        self.deadline = deadline
        self.isReasoning = isReasoning
        switch rule {
        case .free:
            stage = .free
        case .parts(let rules):
            // Where a reply is several messages, the prompt ends with the beginning of the first one. Any other reply begins
            // a line.
            let before = reasoning.message.isEmpty ? "\n" : reasoning.message
            stage = rules.first.map { .parts(LazyConstraint(rules, trie: $0.masks.trie, after: before)) } ?? .free
        case .whole(let masks, let afterReasoning):
            let reasoned = LazyConstraint(
                [.init(trigger: reasoning.closing, masks: afterReasoning, then: .end)], trie: masks.trie)
            if isReasoning {
                stage = .reasoningBeforeWhole(reasoned)
            } else {
                reasonedConstraint = reasoned
                let opening = mayReason ? Self.tokens(of: reasoning.opening, tokenizer) : []
                stage = .whole(Constraint(masks), opensReasoning: opening[...])
            }
        }
    }

    /// The tokens of a tag: a single one if the vocabulary has it.
    private static func tokens(of tag: String, _ tokenizer: Tokenizer) -> [TokenID] {
        if let token = tokenizer.id(ofSpelling: tag) { return [token] }
        return tokenizer.encode([TextSegment(tag, origin: .template)])
    }

    /// Whether no token is ever forbidden.
    var isFree: Bool { if case .free = stage { true } else { false } }

    /// Whether the rule requires the reply to end now.
    var isComplete: Bool {
        switch stage {
        case .free: false
        case .whole(let constraint, _): constraint.isComplete
        case .reasoningBeforeWhole(let constraint), .parts(let constraint): constraint.isComplete
        }
    }

    /// Sets the mask to the tokens that are allowed next, or to none if it cannot be computed; false if every token is
    /// allowed.
    mutating func allow(into mask: inout TokenMask) -> Bool {
        if failure == nil {
            do {
                return try restrict(&mask)
            } catch {
                failure = error
            }
        }
        mask.removeAll()
        return true
    }

    private mutating func restrict(_ mask: inout TokenMask) throws(ConstraintError) -> Bool {
        if let token = forced.first {
            // What ends reasoning may also begin an answer of another kind than the one that is required.
            if case .reasoningBeforeWhole(var constraint) = stage, constraint.isConstrained, !constraint.accept(token) {
                forced = []
            } else {
                mask[token] = true
                return true
            }
        }
        switch stage {
        case .free: return false
        case .whole(let constraint, let opening):
            try constraint.allow(into: &mask, deadline: deadline)
            if let first = opening.first { mask[first] = true }
            return true
        case .parts(let constraint):
            return isReasoning ? false : try constraint.allow(into: &mask, deadline: deadline)
        case .reasoningBeforeWhole(let constraint):
            let isRestricted = try constraint.allow(into: &mask, deadline: deadline)
            if constraint.isConstrained { return true }
            // The reply must not end before the answer has begun.
            if !isRestricted { mask = TokenMask(vocabularySize: tokenizer.vocabularySize, allowingAll: true) }
            for token in tokenizer.endOfGeneration { mask[token] = false }
            return true
        }
    }

    /// Appends a token of the reply and records whether the reply is inside reasoning after it.
    mutating func accept(_ token: TokenID, isReasoning: Bool) {
        let isOutside = !self.isReasoning && !isReasoning
        self.isReasoning = isReasoning
        let isForced = forced.first == token
        if isForced { forced = forced.dropFirst() }
        let isAccepted: Bool
        switch stage {
        case .free: return
        case .whole(var constraint, let opening):
            isAccepted = constraint.accept(token)
            let rest = token == opening.first ? opening.dropFirst() : []
            if token == opening.first, rest.isEmpty || !isAccepted, let reasonedConstraint {
                stage = .reasoningBeforeWhole(reasonedConstraint)
                forced = rest
                return
            }
            stage = .whole(constraint, opensReasoning: rest)
        case .reasoningBeforeWhole(var constraint):
            isAccepted = constraint.accept(token)
            stage = .reasoningBeforeWhole(constraint)
        case .parts(var constraint):
            guard isOutside else { return }
            isAccepted = constraint.accept(token)
            stage = .parts(constraint)
        }
        // Every token that the mask allows is accepted, unless reading it takes too much work.
        guard !isAccepted, isOutside, !isForced, !tokenizer.endOfGeneration.contains(token) else { return }
        failure = ConstraintError(.tooLarge, "Following the reply takes too much work; simplify the schema or grammar.")
    }

    /// Forces tokens to come next, regardless of the rule; ignored while earlier ones are outstanding.
    mutating func force(_ tokens: [TokenID]) {
        if forced.isEmpty { forced = tokens[...] }
    }
}
