// SPDX-License-Identifier: Apache-2.0

public import ParleyTokenizer

/// What a model reads: tokens, and embeddings between them. A prompt is one, and so are the contents of a timeline.
///
/// Each token has one position, and each embedding as many as it says. An embedding is never divided.
public struct ModelInput: Sendable, Hashable, ExpressibleByArrayLiteral {
    /// Consecutive positions of one kind.
    public enum Part: Sendable, Hashable {
        /// Tokens, one for each position.
        case tokens(ArraySlice<TokenID>)
        /// One embedding.
        case embedding(InputEmbedding)
    }

    /// An embedding and its place.
    private struct Placed: Sendable, Hashable {
        var embedding: InputEmbedding
        /// Its first position.
        var start: Int
        /// The number of tokens before it.
        var tokens: Int

        var end: Int { start + embedding.count }
    }

    /// The tokens in order, without the embeddings between them.
    public private(set) var tokens: [TokenID]
    /// The embeddings in order.
    private var placed: [Placed] = []

    /// Creates an input of tokens.
    public init(_ tokens: [TokenID] = []) {
        self.tokens = tokens
    }

    /// Creates an input of tokens.
    public init(arrayLiteral tokens: TokenID...) {
        self.tokens = tokens
    }

    /// The number of positions.
    public var count: Int { placed.last.map { $0.end + tokens.count - $0.tokens } ?? tokens.count }

    /// Whether there are no positions.
    public var isEmpty: Bool { tokens.isEmpty && placed.isEmpty }

    /// Whether the last position is a token's.
    public var endsWithToken: Bool { tokens.count > placed.last?.tokens ?? 0 }

    /// The embeddings in order.
    public var embeddings: [InputEmbedding] { placed.map(\.embedding) }

    /// The tokens and embeddings in order.
    public var parts: [Part] {
        var parts: [Part] = []
        var position = 0
        while let part = part(at: position) {
            parts.append(part)
            position += part.count
        }
        return parts
    }

    /// The embedding at a position, or the tokens from there to the next embedding or the end.
    ///
    /// - Parameter position: a position that is not inside an embedding, but may be where one begins.
    /// - Returns: the part; nil at the end.
    public func part(at position: Int) -> Part? {
        let next = placed.firstIndex { $0.end > position }
        if let next, placed[next].start <= position { return .embedding(placed[next].embedding) }
        let start = index(ofTokenAt: position)
        let end = next.map { placed[$0].tokens } ?? tokens.count
        return start < end ? .tokens(tokens[start..<end]) : nil
    }

    /// The tokens at some positions, none of which may be an embedding's.
    public func tokens(at positions: Range<Int>) -> ArraySlice<TokenID> {
        let start = index(ofTokenAt: positions.lowerBound)
        return tokens[start..<start + positions.count]
    }

    /// The number of positions that two inputs have in common from the beginning. It is never inside an embedding.
    public func commonPrefix(with other: ModelInput) -> Int {
        var shared = 0
        while shared < min(placed.count, other.placed.count), placed[shared] == other.placed[shared] { shared += 1 }
        let next = [self, other].compactMap { $0.placed.dropFirst(shared).first?.tokens }.min() ?? .max
        let end = min(tokens.count, other.tokens.count, next)
        var same = 0
        while same < end, tokens[same] == other.tokens[same] { same += 1 }
        // An embedding is common only if all tokens before it are.
        guard let last = placed[..<shared].last(where: { $0.tokens <= same }) else { return same }
        return last.end + same - last.tokens
    }

    /// The position, or the beginning of the embedding that it is inside of.
    public func boundary(at position: Int) -> Int {
        placed.last { $0.start < position && position < $0.end }?.start ?? position
    }

    /// Removes everything from a position on; an embedding that contains the position is removed as a whole.
    ///
    /// - Parameter position: from 0 to ``count``; a larger value has no effect.
    /// - Returns: the number of positions that are left.
    @discardableResult
    public mutating func truncate(to position: Int) -> Int {
        let position = boundary(at: max(position, 0))
        guard position < count else { return count }
        tokens.removeSubrange(index(ofTokenAt: position)...)
        while let last = placed.last, last.start >= position { placed.removeLast() }
        return position
    }

    /// Appends tokens.
    public mutating func append(_ tokens: [TokenID]) {
        self.tokens.append(contentsOf: tokens)
    }

    /// Appends another input.
    public mutating func append(_ other: ModelInput) {
        for part in other.parts { append(part) }
    }

    /// Appends a part.
    public mutating func append(_ part: Part) {
        switch part {
        case .tokens(let tokens): self.tokens.append(contentsOf: tokens)
        case .embedding(let embedding):
            placed.append(Placed(embedding: embedding, start: count, tokens: tokens.count))
        }
    }

    /// Removes everything and keeps the memory.
    mutating func removeAll() {
        tokens.removeAll(keepingCapacity: true)
        placed.removeAll(keepingCapacity: true)
    }

    /// Allocates memory for tokens in advance.
    mutating func reserveCapacity(_ count: Int) {
        tokens.reserveCapacity(count)
    }

    /// The index in ``tokens`` of the token at a position that no embedding has.
    private func index(ofTokenAt position: Int) -> Int {
        guard let before = placed.last(where: { $0.end <= position }) else { return position }
        return before.tokens + position - before.end
    }
}

extension ModelInput.Part {
    /// The number of positions.
    public var count: Int {
        switch self {
        case .tokens(let tokens): tokens.count
        case .embedding(let embedding): embedding.count
        }
    }
}
