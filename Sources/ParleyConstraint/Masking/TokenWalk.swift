// SPDX-License-Identifier: Apache-2.0

import ParleyRuntime
import ParleyTokenizer

/// Walks the trie of tokens with a machine, and allows the tokens that it can read.
struct TokenWalk {
    private(set) var machine: Machine
    private let trie: TokenTrie
    private(set) var mask: TokenMask

    init(machine: Machine, trie: TokenTrie, mask: TokenMask) {
        self.machine = machine
        self.trie = trie
        self.mask = mask
    }

    /// Allows the tokens that may follow one configuration.
    mutating func allow(_ configuration: Configuration, reach: LeafReach?) {
        let mark = machine.mark
        defer { machine.goBack(to: mark) }
        guard let reach else {
            machine.configurations.append(configuration)
            return walk(below: -1, mark.configurations..<machine.configurations.count)
        }
        let leaf = machine.program.leaves[Int(configuration.leaf)]
        switch leaf.kind {
        case .declaredName: return
        case .plain:
            for group in reach.groups { allow(group) }
            leave(configuration, through: reach.exits[...])
        case .counted(let bounds):
            for group in reach.groups {
                let count = configuration.low + group.count
                if bounds.isFree ? count <= bounds.maximum : bounds.isViable(group.state, count: count) {
                    allow(group)
                }
            }
            leave(
                configuration,
                through: reach.exits.filter { exit in
                    let count = configuration.low + exit.count
                    return count >= bounds.minimum && count <= bounds.maximum
                }[...])
        case .newName:
            for group in reach.groups { allow(group) }
            for exit in reach.exits where !machine.work.isSpent { leaveName(configuration, through: exit.node) }
        }
    }

    /// Charges steps for work done outside the machine.
    mutating func spend(_ steps: Int) { machine.work.spend(steps) }

    private mutating func allow(_ group: LeafReach.Group) {
        machine.work.spend(1 + (group.mask == nil ? group.tokens.count / 4 : trie.vocabularySize / 256))
        if let tokens = group.mask { mask.formUnion(tokens) } else { mask.insert(group.tokens[...]) }
    }

    /// Continues after the end of a leaf. What follows is the same at all exits.
    private mutating func leave(_ configuration: Configuration, through exits: ArraySlice<LeafReach.Exit>) {
        guard !exits.isEmpty else { return }
        let mark = machine.mark
        defer { machine.goBack(to: mark) }
        machine.beginStep()
        machine.resume(configuration.frame)
        let range = mark.configurations..<machine.configurations.count
        guard !range.isEmpty || machine.hasEnded else { return }
        let filter = range.isEmpty ? ByteFilter() : machine.firstBytes(range)
        for exit in exits where !machine.work.isSpent {
            machine.work.spend(1)
            let node = Int(exit.node)
            mask.insert(trie.tokens(at: node))
            if Int(trie.ends[node]) > node + 1, !range.isEmpty { walk(below: node, range, filter) }
        }
    }

    /// Reads a name byte by byte up to its end, because whether it is allowed depends on all of it.
    private mutating func leaveName(_ configuration: Configuration, through node: Int32) {
        let mark = machine.mark
        defer { machine.goBack(to: mark) }
        var depth = 0
        var parent = node
        while parent >= 0 {
            depth += 1
            parent = trie.parents[Int(parent)]
        }
        var range = mark.configurations..<(mark.configurations + 1)
        machine.configurations.append(configuration)
        for byte in trie.path(to: node) {
            guard machine.step(range, byte) else { return }
            range = range.upperBound..<machine.configurations.count
        }
        mask.insert(trie.tokens(at: Int(node)))
        walk(below: Int(node), range)
    }

    /// Tries the nodes below `root`; -1 tries all nodes.
    private mutating func walk(below root: Int, _ range: Range<Int>, _ filter: ByteFilter? = nil) {
        let filter = filter ?? machine.firstBytes(range)
        let end = root < 0 ? trie.bytes.count : Int(trie.ends[root])
        var node = root + 1
        while node < end {
            machine.work.spend(1)
            guard filter.contains(trie.bytes[node]) else {
                node = Int(trie.ends[node])
                continue
            }
            guard !machine.work.isSpent else { return }
            walk(at: node, range)
            node = Int(trie.ends[node])
        }
    }

    /// Tries a node and those below it.
    private mutating func walk(at root: Int, _ range: Range<Int>) {
        let start = machine.mark
        let end = Int(trie.ends[root])
        var way: [(end: Int, range: Range<Int>, mark: Machine.Mark)] = [(end, range, start)]
        var node = root
        while node < end, !machine.work.isSpent {
            machine.work.spend(1)
            while way[way.count - 1].end <= node { way.removeLast() }
            let (_, range, mark) = way[way.count - 1]
            machine.goBack(to: mark)
            let next = Int(trie.ends[node])
            guard machine.step(range, trie.bytes[node]) else {
                node = next
                continue
            }
            mask.insert(trie.tokens(at: node))
            guard next > node + 1, machine.configurations.count > mark.configurations else {
                node = next
                continue
            }
            way.append((next, mark.configurations..<machine.configurations.count, machine.mark))
            node += 1
        }
        machine.goBack(to: start)
    }
}

/// A set of bytes.
struct ByteFilter {
    private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

    @inline(__always)
    func contains(_ byte: UInt8) -> Bool {
        let bit = UInt64(1) << UInt64(byte & 63)
        switch byte >> 6 {
        case 0: return words.0 & bit != 0
        case 1: return words.1 & bit != 0
        case 2: return words.2 & bit != 0
        default: return words.3 & bit != 0
        }
    }

    mutating func insert(_ byte: UInt8) {
        let bit = UInt64(1) << UInt64(byte & 63)
        switch byte >> 6 {
        case 0: words.0 |= bit
        case 1: words.1 |= bit
        case 2: words.2 |= bit
        default: words.3 |= bit
        }
    }
}

extension Machine {
    /// The bytes that some leaf of a range can read.
    func firstBytes(_ range: Range<Int>) -> ByteFilter {
        var filter = ByteFilter()
        for configuration in configurations[range] {
            let automaton = program.leaves[Int(configuration.leaf)].automaton
            for byte in UInt8.min ... .max where automaton.next(configuration.state, byte) >= 0 { filter.insert(byte) }
        }
        return filter
    }
}
