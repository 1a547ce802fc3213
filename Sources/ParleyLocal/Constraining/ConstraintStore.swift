// SPDX-License-Identifier: Apache-2.0

import ParleyConstraint
import ParleyConversation
import ParleyTokenizer
import Synchronization

/// The grammars that replies had to follow lately, compiled for a model's vocabulary.
final class ConstraintStore: Sendable {
    private struct State {
        var trie: TokenTrie?
        /// The least recently used first.
        var known: [(grammar: Grammar, masks: TokenMasks)] = []
    }

    /// Nobody has more schemas and sets of functions in use at a time; each may keep 24 MiB of masks.
    private static let limit = 8

    /// A leaf lock: compiling happens outside.
    private let state = Mutex(State())
    private let tokenizer: Tokenizer

    init(_ tokenizer: Tokenizer) {
        self.tokenizer = tokenizer
    }

    /// The vocabulary as constraints need it; made when the first one is.
    private func trie(deadline: ContinuousClock.Instant?) throws(ConstraintError) -> TokenTrie {
        if let trie = state.withLock({ $0.trie }) { return trie }
        let made = try TokenTrie(tokenizer, deadline: deadline)
        return state.withLock { state in
            let trie = state.trie ?? made
            state.trie = trie
            return trie
        }
    }

    /// The masks of a grammar.
    ///
    /// - Parameters:
    ///   - grammar: the grammar.
    ///   - deadline: when compiling ends at the latest.
    /// - Returns: the masks, new or from an earlier reply.
    /// - Throws: ``/ParleyConversation/ConversationError`` with code `invalidInput` that names what of a schema cannot
    ///   be enforced; `CancellationError` where the task is cancelled, ``PromptDeadlinePassed``.
    func masks(_ grammar: Grammar, deadline: ContinuousClock.Instant?) throws -> TokenMasks {
        let known = state.withLock { state -> TokenMasks? in
            guard let index = state.known.firstIndex(where: { $0.grammar == grammar }) else { return nil }
            let entry = state.known.remove(at: index)
            state.known.append(entry)
            return entry.masks
        }
        if let known { return known }
        let masks: TokenMasks
        do {
            masks = TokenMasks(
                try ConstraintProgram(grammar, deadline: deadline), try trie(deadline: deadline))
        } catch {
            if error.code == .cancelled { throw CancellationError() }
            if error.code == .timedOut { throw PromptDeadlinePassed() }
            throw ConversationError(.invalidInput, "The schema cannot be enforced: \(error)", cause: error)
        }
        state.withLock { state in
            state.known.append((grammar, masks))
            if state.known.count > Self.limit { state.known.removeFirst() }
        }
        return masks
    }
}
