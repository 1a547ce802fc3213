// SPDX-License-Identifier: Apache-2.0

package import ParleyTokenizer

/// The tokens of a vocabulary as a trie of their bytes, so that tokens with a common prefix are checked together.
///
/// It is built once for a tokenizer (about 0.1 s for 250,000 tokens) and shared by all constraints.
package final class TokenTrie: Sendable {
    /// The number of tokens of the vocabulary.
    package let vocabularySize: Int
    /// The tokens at which a reply ends.
    package let endOfGeneration: [TokenID]

    // The byte of each node, in depth-first order. The root has no entry.
    let bytes: [UInt8]
    /// For each node, the index after its last descendant.
    let ends: [Int32]
    let parents: [Int32]
    /// For each node, the number of bytes from the root to it.
    let depths: [Int32]
    /// For each node, the index of its first token in ``tokens``; the last entry is the number of tokens.
    let tokenStarts: [Int32]
    let tokens: [TokenID]
    /// The node of each token, -1 where it has none.
    let nodes: [Int32]
    /// The length of the longest token in bytes.
    let longest: Int
    /// The reaches of leaves, shared by all programs.
    let reaches = CostCache<LeafReach.Key, LeafReach>(limit: 16 << 20)

    /// Builds the trie of a tokenizer's tokens.
    ///
    /// Control tokens are distinguished from text by bytes that do not occur in text. Tokens without text are left out,
    /// and so are the tokens for these bytes, because they could spell a control token.
    package convenience init(_ tokenizer: Tokenizer) {
        self.init(tokenizer) {}
    }

    /// Builds the trie of a tokenizer's tokens within a deadline.
    ///
    /// - Parameters:
    ///   - tokenizer: The tokenizer.
    ///   - deadline: The latest time to finish; nil for none. It also ends when the task is cancelled.
    /// - Throws: ``ConstraintError`` with code `cancelled` or `timedOut`.
    package convenience init(
        _ tokenizer: Tokenizer, deadline: ContinuousClock.Instant?
    ) throws(ConstraintError) {
        let budget = CompilationBudget(ConstraintLimits(steps: .max), deadline: deadline)
        try self.init(tokenizer) { () throws(ConstraintError) in try budget.spend(64) }
    }

    /// Builds the trie. `look` is called twice for each token, and may throw to stop.
    private convenience init<Failure: Error>(
        _ tokenizer: Tokenizer, look: () throws(Failure) -> Void
    ) throws(Failure) {
        let ends = tokenizer.endOfGeneration
        var texts: [[UInt8]] = []
        texts.reserveCapacity(tokenizer.vocabularySize)
        for token in 0..<TokenID(tokenizer.vocabularySize) {
            try look()
            if ends.contains(token) {
                texts.append([])
            } else if tokenizer.isControl(token) {
                texts.append(ControlSpelling.bytes(of: tokenizer.spelling(of: token) ?? ""))
            } else {
                let bytes = tokenizer.bytes(of: token)
                texts.append(bytes.contains(where: ControlSpelling.frames) ? [] : bytes)
            }
        }
        try self.init(texts, endOfGeneration: ends.sorted(), look: look)
    }

    /// Builds the trie of tokens given as bytes.
    ///
    /// - Parameters:
    ///   - texts: the bytes of each token; none for tokens that stand for no text.
    ///   - endOfGeneration: the tokens at which a reply ends; ids beyond the vocabulary are ignored.
    package convenience init(_ texts: [[UInt8]], endOfGeneration: [TokenID]) {
        self.init(texts, endOfGeneration: endOfGeneration) {}
    }

    private init<Failure: Error>(
        _ texts: [[UInt8]], endOfGeneration: [TokenID], look: () throws(Failure) -> Void
    ) throws(Failure) {
        vocabularySize = texts.count
        self.endOfGeneration = endOfGeneration.filter { $0 >= 0 && $0 < texts.count }
        var builder = TokenTrieBuilder(vocabularySize: texts.count)
        for token in Self.sorted(texts) {
            try look()
            builder.append(texts[Int(token)], token)
        }
        builder.finish()
        bytes = builder.bytes
        ends = builder.ends
        parents = builder.parents
        depths = builder.depths
        tokenStarts = builder.tokenStarts
        tokens = builder.tokens
        nodes = builder.nodes
        longest = builder.longest
    }

    /// The tokens that have bytes, sorted by their bytes.
    private static func sorted(_ texts: [[UInt8]]) -> [TokenID] {
        // The first eight bytes nearly always decide the order.
        let keyed = texts.enumerated().compactMap { index, text -> (head: UInt64, token: TokenID)? in
            guard !text.isEmpty else { return nil }
            var head: UInt64 = 0
            for offset in 0..<8 { head = head << 8 | (offset < text.count ? UInt64(text[offset]) : 0) }
            return (head, TokenID(index))
        }
        return keyed.sorted { left, right in
            if left.head != right.head { return left.head < right.head }
            let (first, second) = (texts[Int(left.token)], texts[Int(right.token)])
            if first == second { return left.token < right.token }
            return first.lexicographicallyPrecedes(second)
        }.map(\.token)
    }

    /// The bytes that a token adds to a reply: its text, or the representation of a control token.
    func bytes(of token: TokenID) -> [UInt8] {
        guard token >= 0, token < nodes.count else { return [] }
        return path(to: nodes[Int(token)])
    }

    /// The bytes from the root to a node.
    func path(to node: Int32) -> [UInt8] {
        var path: [UInt8] = []
        var index = node
        while index >= 0 {
            path.append(bytes[Int(index)])
            index = parents[Int(index)]
        }
        return path.reversed()
    }

    /// Gives access to the nodes' bytes, ends and depths without bounds checks.
    func withNodes(
        _ body: (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<Int32>, UnsafeBufferPointer<Int32>) -> Void
    ) {
        bytes.withUnsafeBufferPointer { bytes in
            ends.withUnsafeBufferPointer { ends in
                depths.withUnsafeBufferPointer { depths in body(bytes, ends, depths) }
            }
        }
    }

    /// The tokens that end at a node.
    @inline(__always)
    func tokens(at node: Int) -> ArraySlice<TokenID> {
        tokens[Int(tokenStarts[node])..<Int(tokenStarts[node + 1])]
    }
}

/// Builds the trie from sorted tokens.
private struct TokenTrieBuilder {
    var bytes: [UInt8] = []
    var ends: [Int32] = []
    var parents: [Int32] = []
    var depths: [Int32] = []
    var tokenStarts: [Int32] = []
    var tokens: [TokenID] = []
    var nodes: [Int32]
    var longest = 0
    /// The nodes on the path to the last token.
    private var way: [Int32] = []

    init(vocabularySize: Int) {
        nodes = Array(repeating: -1, count: vocabularySize)
        tokens.reserveCapacity(vocabularySize)
        bytes.reserveCapacity(vocabularySize * 3)
        ends.reserveCapacity(vocabularySize * 3)
        parents.reserveCapacity(vocabularySize * 3)
        depths.reserveCapacity(vocabularySize * 3)
        tokenStarts.reserveCapacity(vocabularySize * 3)
    }

    mutating func append(_ text: [UInt8], _ token: TokenID) {
        var shared = 0
        while shared < min(way.count, text.count), bytes[Int(way[shared])] == text[shared] { shared += 1 }
        leave(to: shared)
        for byte in text[shared...] {
            parents.append(way.last ?? -1)
            way.append(Int32(bytes.count))
            depths.append(Int32(way.count))
            bytes.append(byte)
            ends.append(0)
            tokenStarts.append(Int32(tokens.count))
        }
        longest = max(longest, text.count)
        nodes[Int(token)] = way.last ?? -1
        tokens.append(token)
    }

    mutating func finish() {
        leave(to: 0)
        tokenStarts.append(Int32(tokens.count))
    }

    private mutating func leave(to depth: Int) {
        while way.count > depth { ends[Int(way.removeLast())] = Int32(bytes.count) }
    }
}
