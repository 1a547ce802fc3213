// SPDX-License-Identifier: Apache-2.0

/// The steps of a tokenizer of Hugging Face's `tokenizers` library: how text is normalised and split, what makes tokens
/// of its words, and how tokens become text again.
///
/// A reader of `tokenizer.json` creates it. Each step does what the step of the same name does there, so that the ids
/// are the same.
public struct TokenizerPipeline: Sendable, Hashable {
    /// What makes tokens of a word.
    package enum Model: Sendable, Hashable {
        /// Byte pair encoding, with the description's merges.
        case bytePairs(BytePairOptions)
        /// The most probable tokens, by the logarithms of their probabilities.
        case unigram(scores: [Double], unknown: TokenID?, spellsBytes: Bool)
        /// The longest tokens, from left to right.
        case wordPiece(unknown: TokenID, prefix: String, longestWord: Int)
        /// Whole words.
        case words(unknown: TokenID?)
    }

    /// The options of byte pair encoding.
    package struct BytePairOptions: Sendable, Hashable {
        /// The token for characters without one; without it they are left out.
        package var unknown: TokenID?
        /// Whether neighbouring unknown characters are one token.
        package var joinsUnknown = false
        /// Whether characters without a token become the tokens of their bytes, `<0x0A>`.
        package var spellsBytes = false
        /// Whether a word that is itself a token is not merged.
        package var ignoresMerges = false
        /// What is put before each character but the first of a word.
        package var prefix = ""
        /// What is put after the last character of a word.
        package var suffix = ""

        /// Creates the usual options.
        package init() {}
    }

    /// A token that is found in text before anything else happens to it.
    package struct AddedToken: Sendable, Hashable {
        /// The token.
        package var id: TokenID
        /// Its text.
        package var text: String
        /// Whether it counts only if neither a letter nor a digit is beside it.
        package var isSingleWord = false
        /// Whether white space before it belongs to it.
        package var stripsLeft = false
        /// Whether white space after it belongs to it.
        package var stripsRight = false
        /// Whether it is looked for in normalised text.
        package var isNormalized = false
        /// Whether it is a control token.
        package var isSpecial = false

        /// Creates a token.
        package init(id: TokenID, text: String) {
            self.id = id
            self.text = text
        }
    }

    /// How the texts of tokens are put together.
    package enum Decoder: Sendable, Hashable {
        /// The texts are bytes in GPT-2's printable alphabet.
        case bytes
        /// A mark stands for the space before a word, and `<0x0A>` for a byte.
        case spaces(mark: String, stripsFirst: Bool)
        /// A space comes before each token but those with a prefix, which is left out.
        case words(prefix: String)
        /// A suffix ends words, and a space comes after them.
        case suffix(String)
        /// The texts are put together as they are, with a space between them.
        case plain
    }

    /// What happens to text first, in order.
    package var normalizers: [TextNormalizer]
    /// How text is split into words, one after the other.
    package var splitters: [TextSplitter]
    /// What makes tokens of words.
    package var model: Model
    /// The tokens that are found in text as they are.
    package var addedTokens: [AddedToken]
    /// How tokens become text again.
    package var decoder: Decoder

    /// Creates a tokenizer's steps.
    package init(
        normalizers: [TextNormalizer] = [], splitters: [TextSplitter] = [], model: Model,
        addedTokens: [AddedToken] = [], decoder: Decoder = .plain
    ) {
        self.normalizers = normalizers
        self.splitters = splitters
        self.model = model
        self.addedTokens = addedTokens
        self.decoder = decoder
    }
}
