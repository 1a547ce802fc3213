// SPDX-License-Identifier: Apache-2.0

import ParleyConstraint
import ParleyConversation
import ParleyRuntime
import ParleyTokenizer

/// Keeps the answer of a reply to its rule, as a pure state machine over its tokens; reasoning is free, but for its end.
struct AnswerConstraint: TokenConstraint {
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
    private var stage: Stage
    /// What the answer follows when reasoning has been opened by the model itself.
    private var reasonedConstraint: LazyConstraint?
    /// Tokens that have to come next, whatever the model wants.
    private var forced: ArraySlice<TokenID> = []
    /// Whether the reply is inside reasoning now.
    private var isReasoning: Bool
    /// When finding out what may come next is given up.
    private let deadline: ContinuousClock.Instant?
    /// Why it could not be found out what may come next: the reply cannot go on then.
    private(set) var failure: ConstraintError?

    /// - Parameters:
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

    /// Whether the rule wants the reply to end here.
    var isComplete: Bool {
        switch stage {
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
            // The answer has to come.
            if !isRestricted { mask = TokenMask(vocabularySize: tokenizer.vocabularySize, allowingAll: true) }
            for token in tokenizer.endOfGeneration { mask[token] = false }
            return true
        }
    }

    /// Reads a token of the reply.
    ///
    /// - Parameter isReasoning: whether the reply is inside reasoning after it.
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

    /// Has tokens come next, whatever the rule says; ignored while earlier ones still have to come.
    mutating func force(_ tokens: [TokenID]) {
        if forced.isEmpty { forced = tokens[...] }
    }
}
