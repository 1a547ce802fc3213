// SPDX-License-Identifier: Apache-2.0

/// A piece of a word while its neighbours are being merged.
struct MergeSymbol {
    /// The offset of its beginning; `length` is its length, 0 once it was merged into its left neighbour. The unit is
    /// the rule's.
    var start: UInt32
    var length: UInt32
    var previous: UInt32
    var next: UInt32
    var piece: PieceID

    /// The index that means "no neighbour".
    static let none = UInt32.max
}

/// Decides which adjacent symbols merge, and in what order.
protocol MergeRule {
    func merge(_ left: MergeSymbol, _ right: MergeSymbol) -> Merge?
}

/// Merges the adjacent pair of lowest rank, the leftmost first, until no pair merges: O(n log n) with a heap of pairs.
///
/// It is reused for all words, so that its storage is allocated once.
struct PairMerger {
    private struct Candidate {
        /// The rank in the upper 32 bits, the index of the left symbol in the lower ones.
        var order: UInt64
        var right: UInt32
        /// The sum of the lengths when the candidate was found; if it differs now, one of the two has changed since.
        var length: UInt32
        var piece: PieceID
        var left: UInt32 { UInt32(truncatingIfNeeded: order) }
    }

    /// The maximum number of symbols merged at once, so that indices and lengths fit 32 bits; longer words are split.
    static let maximumCount = 1 << 29

    private(set) var symbols: [MergeSymbol] = []
    /// Decides when to give up; the symbols must not be used then.
    var watch: EncodingWatch?
    private var heap: [Candidate] = []

    /// Begins a word.
    mutating func reset() {
        symbols.removeAll(keepingCapacity: true)
        heap.removeAll(keepingCapacity: true)
    }

    /// Adds the next symbol of the word.
    @inline(__always)
    mutating func append(_ piece: PieceID, start: UInt32, length: UInt32) {
        let index = UInt32(symbols.count)
        if index > 0 { symbols[Int(index) - 1].next = index }
        symbols.append(
            MergeSymbol(
                start: start, length: length, previous: index == 0 ? MergeSymbol.none : index - 1,
                next: MergeSymbol.none, piece: piece))
    }

    /// Merges until no pair merges.
    mutating func run(_ rule: some MergeRule) {
        guard symbols.count > 1 else { return }
        for index in 1..<UInt32(symbols.count) { consider(index - 1, index, rule) }
        while let candidate = popFirst() {
            let left = Int(candidate.left)
            let right = Int(candidate.right)
            let taken = symbols[right]
            if let watch, watch.ends(after: 1) { return }
            guard symbols[left].length > 0, taken.length > 0, symbols[left].length + taken.length == candidate.length
            else { continue }
            symbols[left].length = candidate.length
            symbols[left].piece = candidate.piece
            symbols[left].next = taken.next
            symbols[right].length = 0
            if taken.next != MergeSymbol.none {
                symbols[Int(taken.next)].previous = candidate.left
                consider(candidate.left, taken.next, rule)
            }
            let previous = symbols[left].previous
            if previous != MergeSymbol.none { consider(previous, candidate.left, rule) }
        }
    }

    /// Calls `body` with each symbol that is left, in order.
    @inline(__always)
    func forEach(_ body: (MergeSymbol) -> Void) {
        for symbol in symbols where symbol.length > 0 { body(symbol) }
    }

    @inline(__always)
    private mutating func consider(_ left: UInt32, _ right: UInt32, _ rule: some MergeRule) {
        let (first, second) = (symbols[Int(left)], symbols[Int(right)])
        guard let merge = rule.merge(first, second) else { return }
        push(
            Candidate(
                order: UInt64(merge.rank) << 32 | UInt64(left), right: right, length: first.length + second.length,
                piece: merge.piece))
    }

    @inline(__always)
    private mutating func push(_ candidate: Candidate) {
        heap.append(candidate)
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            if heap[parent].order <= candidate.order { break }
            heap[child] = heap[parent]
            child = parent
        }
        heap[child] = candidate
    }

    @inline(__always)
    private mutating func popFirst() -> Candidate? {
        guard let first = heap.first, let last = heap.popLast() else { return nil }
        let count = heap.count
        guard count > 0 else { return first }
        var parent = 0
        while true {
            var child = 2 * parent + 1
            if child >= count { break }
            if child + 1 < count, heap[child + 1].order < heap[child].order { child += 1 }
            if heap[child].order >= last.order { break }
            heap[parent] = heap[child]
            parent = child
        }
        heap[parent] = last
        return first
    }
}
