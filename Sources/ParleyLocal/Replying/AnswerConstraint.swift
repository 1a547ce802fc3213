// SPDX-License-Identifier: Apache-2.0

import ParleyConstraint
import ParleyConversation
import ParleyRuntime
import ParleyTokenizer

/// Applies the rule of a reply's answer, as a pure state machine over its tokens; reasoning is free, except its end.
struct AnswerConstraint: TokenConstraint {
    /// The current restriction of the reply.
    private enum Stage {
        /// None, or none any more.
        case free
        /// The answer follows a grammar from here on; the token that opens reasoning may come first.
        case whole(Constraint, opensReasoning: TokenID?)
        /// The model reasons; the answer after the closing tag is restricted and must not be missing.
        case reasoningBeforeWhole(LazyConstraint)
        /// Calls of functions are restricted, outside reasoning.
        case calls(LazyConstraint)
    }

    private let tokenizer: Tokenizer
    private var stage: Stage
    /// The constraint of the answer after reasoning that the model itself has opened.
    private var reasonedConstraint: LazyConstraint?
    /// Tokens that are forced to come next, whatever the logits.
    private var forced: ArraySlice<TokenID> = []
    /// Whether the reply is inside reasoning now.
    private var isReasoning: Bool
    /// When to give up computing a mask.
    private let deadline: ContinuousClock.Instant?
    /// Why a mask could not be computed; the reply cannot go on then.
    private(set) var failure: ConstraintError?

    /// Creates a constraint for a rule.
    ///
    /// - Parameters:
    ///   - rule: the rule of the answer.
    ///   - tokenizer: the model's tokenizer.
    ///   - reasoning: the tags of reasoning.
    ///   - isReasoning: whether the reply begins inside it.
    ///   - mayReason: whether the model may open reasoning itself.
    ///   - deadline: when the reply ends at the latest.
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
        case .calls(let call):
            stage = .calls(LazyConstraint([call], trie: call.masks.trie))
        case .whole(let masks, let afterReasoning):
            let reasoned = LazyConstraint(
                [.init(trigger: reasoning.closing, masks: afterReasoning, then: .end)], trie: masks.trie)
            if isReasoning {
                stage = .reasoningBeforeWhole(reasoned)
            } else {
                reasonedConstraint = reasoned
                let opening = mayReason ? tokenizer.id(ofSpelling: reasoning.opening) : nil
                stage = .whole(Constraint(masks), opensReasoning: opening)
            }
        }
    }

    /// Whether the rule requires the reply to end here.
    var isComplete: Bool {
        switch stage {
        case .free: false
        case .whole(let constraint, _): constraint.isComplete
        case .reasoningBeforeWhole(let constraint), .calls(let constraint): constraint.isComplete
        }
    }

    /// Sets a mask to the tokens that may come next, and to none where it cannot be computed; false where every token
    /// may.
    mutating func allow(into mask: inout TokenMask) -> Bool {
        do {
            return try restrict(&mask)
        } catch {
            failure = error
            mask.removeAll()
            return true
        }
    }

    private func restrict(_ mask: inout TokenMask) throws(ConstraintError) -> Bool {
        if let token = forced.first {
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
            return isReasoning ? false : try constraint.allow(into: &mask, deadline: deadline)
        case .reasoningBeforeWhole(let constraint):
            let isRestricted = try constraint.allow(into: &mask, deadline: deadline)
            if constraint.isConstrained { return true }
            // The reply must not end before the answer.
            if !isRestricted { mask = TokenMask(vocabularySize: tokenizer.vocabularySize, allowingAll: true) }
            for token in tokenizer.endOfGeneration { mask[token] = false }
            return true
        }
    }

    /// Reads a token of the reply, which is inside reasoning after it or not.
    mutating func accept(_ token: TokenID, isReasoning: Bool) {
        let isOutside = !self.isReasoning && !isReasoning
        self.isReasoning = isReasoning
        if forced.first == token { forced = forced.dropFirst() }
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
            guard isOutside else { return }
            _ = constraint.accept(token)
            stage = .calls(constraint)
        }
    }

    /// Forces tokens to come next, whatever the rule says; ignored while earlier ones are still to come.
    mutating func force(_ tokens: [TokenID]) {
        if forced.isEmpty { forced = tokens[...] }
    }
}
