// SPDX-License-Identifier: Apache-2.0

package import ParleyRuntime
package import ParleyTokenizer

/// A reply that is unconstrained until a trigger such as `<tool_call>` occurs, then follows a program, and then is
/// unconstrained again.
///
/// It is a pure state machine: before each token it provides a mask; then it is told the token. A trigger is recognised
/// as text and as control tokens.
package struct LazyConstraint: Sendable {
    /// What follows the end of a program.
    package enum Continuation: Sendable, Hashable {
        /// The reply is unconstrained until the next trigger.
        case free
        /// The reply ends.
        case end
    }

    /// A program that is followed after a trigger.
    package struct Rule: Sendable {
        /// The text that starts the program.
        package var trigger: String
        /// The program for the text after the trigger, including the closing tag.
        package var masks: TokenMasks
        /// What follows the end of the program.
        package var continuation: Continuation

        /// Creates a rule.
        package init(trigger: String, masks: TokenMasks, then continuation: Continuation = .free) {
            self.trigger = trigger
            self.masks = masks
            self.continuation = continuation
        }
    }

    private enum Mode: Sendable {
        case free
        case constrained(Constraint, rule: Int)
        case ended
    }

    private let rules: [Rule]
    private let trie: TokenTrie
    private let scanner: TriggerScanner
    private var mode = Mode.free
    /// The state of the scanner: which prefixes of triggers the unconstrained text ends with.
    private var progress: Int32 = 0

    /// Creates a constraint at the beginning of a reply. Rules with an empty trigger are ignored; `text` is what stands
    /// before the reply, with which a trigger may begin.
    package init(_ rules: [Rule], trie: TokenTrie, after text: String = "") {
        self.rules = rules
        self.trie = trie
        scanner = TriggerScanner(rules.map { Array($0.trigger.utf8) })
        for byte in text.utf8 { progress = scanner.next(progress, byte) }
    }

    /// Whether the reply follows a program at the moment.
    package var isConstrained: Bool {
        if case .constrained = mode { true } else { false }
    }

    /// Whether the reply may end here; in free text it may.
    package var canEnd: Bool {
        if case .constrained(let constraint, _) = mode { constraint.canEnd } else { true }
    }

    /// Whether the reply must end here.
    package var isComplete: Bool {
        if case .ended = mode { true } else { false }
    }

    /// Sets a mask to the tokens that may come next.
    ///
    /// - Parameters:
    ///   - mask: The mask to set.
    ///   - deadline: The latest time to finish; nil for none. It also ends when the task is cancelled.
    /// - Returns: False if every token is allowed; the mask is not changed then.
    /// - Throws: ``ConstraintError`` as ``TokenMasks/allow(_:into:deadline:)`` does.
    package func allow(
        into mask: inout TokenMask, deadline: ContinuousClock.Instant? = nil
    ) throws(ConstraintError) -> Bool {
        switch mode {
        case .constrained(let constraint, _):
            try constraint.allow(into: &mask, deadline: deadline)
            return true
        case .ended:
            mask = TokenMask(vocabularySize: trie.vocabularySize)
            mask.insert(trie.endOfGeneration[...])
            return true
        case .free:
            // A token may contain text after a trigger, which must then follow the program.
            let forbidden = scanner.candidates(in: trie, after: progress).filter { token in
                var copy = self
                return !copy.accept(token)
            }
            guard !forbidden.isEmpty else { return false }
            mask = TokenMask(vocabularySize: trie.vocabularySize, allowingAll: true)
            for token in forbidden { mask[token] = false }
            return true
        }
    }

    /// Reads a token.
    ///
    /// - Returns: False, and nothing changes, where the token is not allowed here.
    package mutating func accept(_ token: TokenID) -> Bool {
        if trie.endOfGeneration.contains(token) { return canEnd }
        var next = self
        var bytes = trie.bytes(of: token)[...]
        // In unconstrained text a control token counts as the text of its spelling.
        if !isConstrained, bytes.first == 0xFF { bytes = bytes.dropFirst().dropLast() }
        guard next.read(bytes) else { return false }
        self = next
        return true
    }

    private mutating func read(_ bytes: ArraySlice<UInt8>) -> Bool {
        for byte in bytes {
            switch mode {
            case .ended: return false
            case .free:
                progress = scanner.next(progress, byte)
                if let rule = scanner.trigger(at: progress) {
                    mode = .constrained(Constraint(rules[rule].masks), rule: rule)
                }
            case .constrained(var constraint, let rule):
                guard constraint.advance(byte) else { return false }
                if constraint.isComplete {
                    mode = rules[rule].continuation == .free ? .free : .ended
                    progress = 0
                } else {
                    mode = .constrained(constraint, rule: rule)
                }
            }
        }
        return true
    }
}
