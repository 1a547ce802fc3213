// SPDX-License-Identifier: Apache-2.0

package import ParleyTokenizer

/// The set of tokens that are allowed next, with one bit for each token of a vocabulary.
package struct TokenMask: Sendable, Hashable {
    /// The number of tokens in the vocabulary.
    package let vocabularySize: Int
    private var words: [UInt64]

    /// Creates a mask that allows no token or every token.
    package init(vocabularySize: Int, allowingAll: Bool = false) {
        self.vocabularySize = vocabularySize
        words = Array(repeating: allowingAll ? .max : 0, count: (vocabularySize + 63) / 64)
        if allowingAll, vocabularySize % 64 != 0, let last = words.indices.last {
            words[last] = (1 << UInt64(vocabularySize % 64)) - 1
        }
    }

    /// Creates a mask from its bits, 64 tokens per word; bits beyond the vocabulary must be zero.
    package init(vocabularySize: Int, words: [UInt64]) {
        self.vocabularySize = vocabularySize
        self.words = words
    }

    /// Whether a token is allowed; always false for tokens beyond the vocabulary.
    package subscript(token: TokenID) -> Bool {
        get { contains(token) && words[Int(token) >> 6] >> UInt64(token & 63) & 1 == 1 }
        set {
            guard contains(token) else { return }
            let bit = UInt64(1) << UInt64(token & 63)
            if newValue { words[Int(token) >> 6] |= bit } else { words[Int(token) >> 6] &= ~bit }
        }
    }

    private func contains(_ token: TokenID) -> Bool { token >= 0 && token < vocabularySize }

    /// The number of allowed tokens.
    package var count: Int { words.reduce(0) { $0 + $1.nonzeroBitCount } }

    /// Whether no token is allowed.
    package var isEmpty: Bool { words.allSatisfy { $0 == 0 } }

    /// Disallows all tokens.
    package mutating func removeAll() {
        for index in words.indices { words[index] = 0 }
    }

    /// Adds the tokens that another mask of the same vocabulary allows.
    package mutating func formUnion(_ other: TokenMask) {
        for index in 0..<min(words.count, other.words.count) { words[index] |= other.words[index] }
    }

    /// Keeps only the tokens that another mask of the same vocabulary also allows.
    package mutating func formIntersection(_ other: TokenMask) {
        for index in 0..<min(words.count, other.words.count) { words[index] &= other.words[index] }
    }

    /// Allows the given tokens; those beyond the vocabulary are ignored.
    package mutating func insert(_ tokens: ArraySlice<TokenID>) {
        let size = vocabularySize
        words.withUnsafeMutableBufferPointer { words in
            for token in tokens where token >= 0 && token < size { words[Int(token) >> 6] |= 1 << UInt64(token & 63) }
        }
    }
}

extension TokenMask {
    /// Sets the logits of tokens that are not allowed, or are beyond the vocabulary, to minus infinity.
    func apply(to logits: UnsafeMutableBufferPointer<Float>) {
        for (index, word) in words.enumerated() where word != .max {
            var missing = ~word
            while missing != 0 {
                let token = index * 64 + missing.trailingZeroBitCount
                guard token < logits.count else { break }
                logits[token] = -.infinity
                missing &= missing - 1
            }
        }
        guard vocabularySize < logits.count else { return }
        logits[vocabularySize...].update(repeating: -.infinity)
    }
}
