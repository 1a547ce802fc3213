// SPDX-License-Identifier: Apache-2.0

package import ParleyRuntime
import ParleyTokenizer

/// Computes which tokens of a vocabulary a program allows next.
///
/// Combines a program with a vocabulary, and caches masks of states. It may be used by any number of generations and
/// threads at the same time; keep it as long as the program is in use.
package final class TokenMasks: Sendable {
    /// The program that replies follow.
    package let program: ConstraintProgram
    /// The vocabulary.
    package let trie: TokenTrie

    private let known = CostCache<[Int32], TokenMask>(limit: 16 << 20)
    private let reaches = CostCache<LeafReach.Key, LeafReach>(limit: 8 << 20)

    /// Combines a program with a vocabulary. This is cheap, because masks are computed when they are needed.
    package init(_ program: ConstraintProgram, _ trie: TokenTrie) {
        self.program = program
        self.trie = trie
    }

    /// Sets a mask to the tokens that may come next: those whose bytes the program allows, and the tokens that end a
    /// generation exactly where the reply may end.
    ///
    /// - Parameters:
    ///   - state: The state of the program after the reply so far.
    ///   - mask: The mask to set.
    ///   - deadline: The latest time to finish; nil for none. It also ends when the task is cancelled.
    /// - Throws: ``ConstraintError`` with code `tooLarge` if computing the mask takes too much work, `cancelled` or
    ///   `timedOut`. The mask is not valid then, and the reply cannot continue.
    package func allow(
        _ state: ConstraintState, into mask: inout TokenMask, deadline: ContinuousClock.Instant? = nil
    ) throws(ConstraintError) {
        try state.machine.work.check()
        let key = state.machine.key(cap: Int32(clamping: trie.longest))
        if let key, let found = known.value(for: key) {
            mask = found
            return
        }
        try compute(state, into: &mask, deadline: deadline)
        guard let key else { return }
        known.keep(mask, for: key, bytes: trie.vocabularySize / 8 + key.count * MemoryLayout<Int32>.stride)
    }

    /// Computes a mask without using the cache.
    func compute(
        _ state: ConstraintState, into mask: inout TokenMask, deadline: ContinuousClock.Instant? = nil
    ) throws(ConstraintError) {
        if mask.vocabularySize == trie.vocabularySize {
            mask.removeAll()
        } else {
            mask = TokenMask(vocabularySize: trie.vocabularySize)
        }
        var machine = state.machine
        machine.work.fill(deadline: deadline, isWatched: true)
        var walk = TokenWalk(machine: machine, trie: trie, mask: mask)
        mask = TokenMask(vocabularySize: 0)
        for configuration in state.machine.configurations where !walk.machine.work.isSpent {
            var steps = 0
            let reach = reach(configuration, &steps)
            walk.spend(steps)
            walk.allow(configuration, reach: reach)
        }
        try walk.machine.work.check()
        mask = walk.mask
        if state.canEnd { mask.insert(trie.endOfGeneration[...]) }
    }

    /// The reach of the tokens within a configuration's leaf; adds the steps that it took. Nil for leaves with few
    /// transitions, for which the trie is walked directly.
    private func reach(_ configuration: Configuration, _ steps: inout Int) -> LeafReach? {
        let leaf = program.leaves[Int(configuration.leaf)]
        let (bounds, tellsStates): (LengthBounds?, Bool)
        switch leaf.kind {
        case .declaredName: return nil
        case .newName(let shape, let index) where !shape.others[index].completions.isEmpty: return nil
        case .plain, .newName: (bounds, tellsStates) = (nil, false)
        case .counted(let limits): (bounds, tellsStates) = (limits, !limits.isFree)
        }
        let automaton = leaf.automaton
        let isShared =
            automaton === StringAutomaton.anyString || automaton === StringAutomaton.canonicalString
            || automaton === ByteDFA.anyNumber
        let key = LeafReach.Key(
            automaton: ObjectIdentifier(automaton), state: configuration.state, counts: bounds != nil,
            tellsStates: tellsStates)
        let known = isShared ? trie.reaches : reaches
        if let reach = known.value(for: key) { return reach }
        steps = trie.bytes.count / 4
        let reach = LeafReach(
            automaton, from: configuration.state, in: trie, counting: bounds, tellsStates: tellsStates)
        known.keep(reach, for: key, bytes: reach.bytes)
        return reach
    }
}
