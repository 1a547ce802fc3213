// SPDX-License-Identifier: Apache-2.0

package import ParleyRuntime
import ParleyTokenizer

/// Which tokens of a vocabulary may come next in a program.
///
/// Joins a program with a vocabulary and remembers the masks of states met before. May be used from any thread by any
/// number of generations at once; keep it as long as the program is in use.
package final class TokenMasks: Sendable {
    /// The program that is followed.
    package let program: ConstraintProgram
    /// The vocabulary.
    package let trie: TokenTrie

    private let known = CostCache<[Int32], TokenMask>(limit: 16 << 20)
    private let reaches = CostCache<LeafReach.Key, LeafReach>(limit: 8 << 20)

    /// Joins a program with a vocabulary. Costs nothing; masks are made when they are asked for.
    package init(_ program: ConstraintProgram, _ trie: TokenTrie) {
        self.program = program
        self.trie = trie
    }

    /// Sets a mask to the tokens that may come next: those whose bytes the program allows, and the tokens that end a
    /// generation exactly where the reply may end.
    ///
    /// - Parameters:
    ///   - state: How far the reply has come.
    ///   - mask: The mask to set.
    ///   - deadline: When to give up, if ever; it ends with the task's cancellation too.
    /// - Throws: ``ConstraintError`` with code `tooLarge` where making the mask takes too much work, `cancelled` or
    ///   `timedOut`; the mask is of no use then, and the reply cannot go on.
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

    /// Makes a mask without looking in the cache.
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

    /// What tokens do within a configuration's leaf, and adds the steps that it took; nil for leaves with few
    /// transitions, which are walked directly.
    private func reach(_ configuration: Configuration, _ steps: inout Int) -> LeafReach? {
        let leaf = program.leaves[Int(configuration.leaf)]
        let (counts, tellsStates): (Bool, Bool)
        switch leaf.kind {
        case .declaredName: return nil
        case .newName(let shape, let index) where !shape.others[index].completions.isEmpty: return nil
        case .plain, .newName: (counts, tellsStates) = (false, false)
        case .counted(let bounds): (counts, tellsStates) = (true, !bounds.isFree)
        }
        let automaton = leaf.automaton
        let isShared =
            automaton === StringAutomaton.anyString || automaton === StringAutomaton.canonicalString
            || automaton === ByteDFA.anyNumber
        let key = LeafReach.Key(
            automaton: ObjectIdentifier(automaton), state: configuration.state, counts: counts,
            tellsStates: tellsStates)
        let known = isShared ? trie.reaches : reaches
        if let reach = known.value(for: key) { return reach }
        steps = trie.bytes.count / 4
        let reach = LeafReach(automaton, from: configuration.state, in: trie, counts: counts, tellsStates: tellsStates)
        known.keep(reach, for: key, bytes: reach.bytes)
        return reach
    }
}
