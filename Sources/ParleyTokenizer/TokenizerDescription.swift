// SPDX-License-Identifier: Apache-2.0

/// The number of a token in a vocabulary.
public typealias TokenID = Int32

/// The settings and vocabulary of a tokenizer, as a model file declares them.
///
/// A reader of model files creates it, and a ``Tokenizer`` is built from it.
public struct TokenizerDescription: Sendable {
    /// How text becomes tokens.
    public enum Algorithm: Sendable, Hashable {
        /// GPT-2's byte-level byte pair encoding: a pre-tokenizer splits the text into words, which are merged by a
        /// list of merges.
        case bytePairEncoding(preTokenizer: String)
        /// The same without a list of merges, as `tiktoken` has it: of all adjacent pairs that spell a token, the one of
        /// the lowest id merges first.
        case numberedBytePairs(preTokenizer: String)
        /// SentencePiece's byte pair encoding: the adjacent pair of highest score merges first.
        case sentencePiece
        /// BERT's WordPiece: words, without accents and in lower case, become the longest tokens that spell them.
        case wordPiece
        /// The steps that a `tokenizer.json` describes.
        case pipeline(TokenizerPipeline)
    }

    /// The purpose of a token.
    public enum TokenKind: Int32, Sendable, Hashable {
        case normal = 1
        case unknown = 2
        case control = 3
        case userDefined = 4
        case unused = 5
        case byte = 6
    }

    /// One entry of the vocabulary.
    public struct Token: Sendable, Hashable {
        /// The text as the file spells it (byte-level tokens in GPT-2's printable alphabet, SentencePiece's with `▁`,
        /// WordPiece's with `▁` where a word begins).
        public var text: String
        /// The purpose of the token; normal where the file declares none.
        public var kind: TokenKind
        /// The score of SentencePiece vocabularies, 0 where the file has none.
        public var score: Float

        /// Creates an entry.
        public init(text: String, kind: TokenKind = .normal, score: Float = 0) {
            self.text = text
            self.kind = kind
            self.score = score
        }
    }

    /// How text becomes tokens.
    public var algorithm: Algorithm
    /// The vocabulary; a token's id is its index.
    public var tokens: [Token]
    /// Pairs of token texts, best first, each `"left right"`; empty where the algorithm has none.
    public var merges: [String]
    /// The token that begins a text.
    public var beginningOfText: TokenID?
    /// The token that ends a text.
    public var endOfText: TokenID?
    /// The token that ends a turn, where the file names one.
    public var endOfTurn: TokenID?
    /// The token that ends a message but not the turn (for example before a function call's result).
    public var endOfMessage: TokenID?
    /// The token for text that the vocabulary cannot represent.
    public var unknown: TokenID?
    /// The tokens that pad fill-in-the-middle prompts or separate their files and repositories; they end an answer too.
    public var fillInMiddleEnds: [TokenID]
    /// Whether a prompt begins with ``beginningOfText``; nil where the file says nothing.
    public var addsBeginningOfText: Bool?
    /// Whether a text ends with ``endOfText``; nil where the file says nothing.
    public var addsEndOfText: Bool?
    /// SentencePiece: whether a space is put before the text; nil where the file says nothing.
    public var addsSpacePrefix: Bool?
    /// SentencePiece: whether runs of spaces collapse; nil where the file says nothing.
    public var removesExtraWhitespace: Bool?
    /// The model's name, which identifies some models whose special tokens absorb the white space beside them.
    public var modelName: String?

    /// Creates a description; the defaults are for what a file leaves out.
    public init(
        algorithm: Algorithm, tokens: [Token], merges: [String] = [], beginningOfText: TokenID? = nil,
        endOfText: TokenID? = nil, endOfTurn: TokenID? = nil, endOfMessage: TokenID? = nil, unknown: TokenID? = nil,
        fillInMiddleEnds: [TokenID] = [], addsBeginningOfText: Bool? = nil, addsEndOfText: Bool? = nil,
        addsSpacePrefix: Bool? = nil, removesExtraWhitespace: Bool? = nil, modelName: String? = nil
    ) {
        self.algorithm = algorithm
        self.tokens = tokens
        self.merges = merges
        self.beginningOfText = beginningOfText
        self.endOfText = endOfText
        self.endOfTurn = endOfTurn
        self.endOfMessage = endOfMessage
        self.unknown = unknown
        self.fillInMiddleEnds = fillInMiddleEnds
        self.addsBeginningOfText = addsBeginningOfText
        self.addsEndOfText = addsEndOfText
        self.addsSpacePrefix = addsSpacePrefix
        self.removesExtraWhitespace = removesExtraWhitespace
        self.modelName = modelName
    }
}
