// SPDX-License-Identifier: Apache-2.0

import ParleyConstraint
import ParleyConversation
import ParleyTokenizer
import Synchronization

/// A cache of the grammars used by recent replies, compiled for a model's vocabulary.
final class ConstraintStore: Sendable {
    private struct State {
        var trie: TokenTrie?
        /// The compiled grammars, starting with the least recently used.
        var known: [(grammar: Grammar, masks: TokenMasks)] = []
    }

    /// The number of grammars to keep: more are rarely in use at the same time, and each may keep 24 MiB of masks.
    private static let limit = 8

    /// No other lock is taken while this one is held; grammars are compiled outside it.
    private let state = Mutex(State())
    private let tokenizer: Tokenizer

    init(_ tokenizer: Tokenizer) {
        self.tokenizer = tokenizer
    }

    /// The trie of the vocabulary, built when it is first needed.
    private func trie(deadline: ContinuousClock.Instant?) throws(ConstraintError) -> TokenTrie {
        if let trie = state.withLock({ $0.trie }) { return trie }
        let made = try TokenTrie(tokenizer, deadline: deadline)
        return state.withLock { state in
            let trie = state.trie ?? made
            state.trie = trie
            return trie
        }
    }

    /// Prepares what all grammars need, which takes a while with a large vocabulary, once.
    ///
    /// - Throws: `CancellationError` if the task is cancelled; ``PromptDeadlinePassed``.
    func prepare(deadline: ContinuousClock.Instant?) throws {
        do {
            _ = try trie(deadline: deadline)
        } catch {
            throw error.code == .cancelled ? CancellationError() : PromptDeadlinePassed() as any Error
        }
    }

    /// Returns the masks of a grammar.
    ///
    /// - Parameters:
    ///   - grammar: the grammar.
    ///   - deadline: the time after which to give up; nil for no limit.
    /// - Returns: the masks, newly compiled or from the cache.
    /// - Throws: ``/ParleyConversation/ConversationError`` with code `invalidInput` that names the part of a schema
    ///   which cannot be enforced; `CancellationError` if the task is cancelled; ``PromptDeadlinePassed``.
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
