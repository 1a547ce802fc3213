// SPDX-License-Identifier: Apache-2.0

import ParleyConversation

/// Makes prompts of given lengths in tokens that have nothing in common, for models whose tokenizer is not known.
struct PromptWords: Sendable {
    /// The tokens that a word takes, and those that every prompt has besides, from the lengths of two prompts.
    private var tokensPerWord = 1.0
    private var tokensBesides = 0.0
    private var state: UInt64

    init(seed: UInt64 = 1) {
        state = seed
    }

    /// Words that are a token each, with the space before them, in the vocabularies of most models.
    private static let words = """
        time year people way day man thing woman life child world school state family student group country problem hand \
        part place case week company system program question work government number night point home water room mother \
        area money story fact month lot right study book eye job word business issue side kind head house service friend \
        father power hour game line end member law car city community name president team minute idea body information
        """.split(separator: " ").map(String.init)

    /// Learns how long words are from prompts whose lengths are known.
    mutating func learn(_ few: (words: Int, tokens: Int), _ many: (words: Int, tokens: Int)) {
        guard many.words > few.words, many.tokens > few.tokens else { return }
        tokensPerWord = Double(many.tokens - few.tokens) / Double(many.words - few.words)
        tokensBesides = max(Double(few.tokens) - tokensPerWord * Double(few.words), 0)
    }

    /// A text of so many words, which begins otherwise than all before it.
    mutating func text(words count: Int) -> String {
        (0..<max(count, 1)).map { _ in
            // Knuth's MMIX generator; the upper bits are the better ones.
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Self.words[Int((state >> 33) % UInt64(Self.words.count))]
        }.joined(separator: " ")
    }

    /// A text with which a prompt has about so many tokens in all.
    mutating func text(promptTokens: Int) -> String {
        text(words: Int(((Double(promptTokens) - tokensBesides) / tokensPerWord).rounded()))
    }

    /// A text of about so many tokens.
    mutating func text(tokens: Int) -> String { text(words: Int((Double(tokens) / tokensPerWord).rounded())) }
}
