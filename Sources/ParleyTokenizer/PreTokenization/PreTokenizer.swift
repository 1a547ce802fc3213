// SPDX-License-Identifier: Apache-2.0

/// Splits text into words before byte pair encoding, and holds other settings that depend on the pre-tokenizer's name.
package struct PreTokenizer: Sendable {
    /// The patterns, which are applied one after another, each to the pieces that the previous one left.
    var patterns: [any WordPattern]
    /// Whether a word that is itself a token is not merged.
    var ignoresMerges = false
    /// Whether a prompt begins with the beginning-of-text token where the file does not say.
    var addsBeginningOfText = false
    /// Whether the vocabulary spells bytes in GPT-2's printable alphabet; else it is UTF-8 with `▁` for the space.
    var isByteLevel = true
    /// Whether a run of line feeds that is itself a token is not merged.
    var keepsLineFeedRuns = false

    /// The ends of the words of `text`, in order.
    func wordEnds(in text: ClassifiedText) -> [Int] {
        patterns.reduce([text.scalars.count]) { ends, pattern in pattern.cut(text, at: ends) }
    }

    /// The words of `text`, read as UTF-8 with as much leniency as llama.cpp has.
    package func words(of text: some RandomAccessCollection<UInt8>) -> [[Unicode.Scalar]] {
        var classified = ClassifiedText()
        classified.load(text)
        var start = 0
        return wordEnds(in: classified).map { end in
            defer { start = end }
            return classified.scalars[start..<end].map { Unicode.Scalar($0) ?? "\u{FFFD}" }
        }
    }
}

extension PreTokenizer {
    /// The pre-tokenizer of that name in a model file.
    ///
    /// - Throws: ``TokenizerError`` with code `unknownPreTokenizer`.
    package static func named(_ name: String) throws(TokenizerError) -> PreTokenizer {
        switch name {
        case "", "default": fallback
        case "gpt-2", "phi-2", "jina-es", "jina-de", "jina-v1-en", "jina-v2-es", "jina-v2-de", "jina-v2-code",
            "roberta-bpe", "gigachat", "a.x-4.0", "mellum", "modern-bert", "mpt", "olmo", "jais", "trillion",
            "granite-docling", "exaone4":
            PreTokenizer(patterns: [GPT2Words()])
        case "starcoder", "refact", "command-r", "smollm", "codeshell", "exaone", "minerva-7b", "mellum2":
            PreTokenizer(patterns: [singleDigits, GPT2Words()])
        case "falcon": PreTokenizer(patterns: [punctuation(and: 0x60), GPT2Words(), threeDigits])
        case "llama3", "llama-v3", "llama-bpe", "falcon3", "falcon-h1", "pixtral", "midm-2.0", "lfm2", "jina-v5-nano":
            PreTokenizer(patterns: [LlamaWords()], ignoresMerges: true, addsBeginningOfText: true)
        case "dbrx", "smaug-bpe", "chatglm-bpe": PreTokenizer(patterns: [LlamaWords()])
        case "glm4", "glm5": PreTokenizer(patterns: [LlamaWords()], ignoresMerges: true)
        case "qwen2", "deepseek-r1-qwen", "kormo", "f2llmv2", "stablelm2", "hunyuan", "solar-open", "megrez", "grok-2",
            "bailingmoe", "bailingmoe2", "llada-moe":
            PreTokenizer(patterns: [LlamaWords(digits: 1)])
        case "qwen35": PreTokenizer(patterns: [qwen35])
        case "laguna": PreTokenizer(patterns: [Lines(), LlamaWords(digits: 1)])
        case "ufakzeka": PreTokenizer(patterns: [LlamaWords(contractions: .nowhere, digits: 1)])
        case "seed-coder": PreTokenizer(patterns: [LlamaWords(digits: 1, tail: .nothing)])
        case "minicpm5": PreTokenizer(patterns: [upToThreeDigits, LlamaWords(digits: .max)], ignoresMerges: true)
        case "tekken":
            PreTokenizer(
                patterns: [
                    LlamaWords(
                        contractions: .nowhere, splitsAtCapitals: true, digits: 1, tail: .lineBreaksAndSlashes)
                ], ignoresMerges: true, addsBeginningOfText: true)
        case "gpt-4o", "llama4", "kanana2", "talkie", "minimax-m2":
            PreTokenizer(patterns: [
                LlamaWords(contractions: .afterWords, splitsAtCapitals: true, tail: .lineBreaksAndSlashes)
            ])
        case "granite-embed-multi-97m":
            PreTokenizer(
                patterns: [
                    LlamaWords(
                        contractions: .afterWords, letters: [.letter, .mark], splitsAtCapitals: true,
                        tail: .lineBreaksAndSlashes)
                ], ignoresMerges: true)
        case "deepseek-llm": PreTokenizer(patterns: deepSeekLLM)
        case "deepseek-coder": PreTokenizer(patterns: deepSeekCoder)
        case "deepseek-v3", "hunyuan-dense", "joyai-llm", "hy_v4":
            PreTokenizer(patterns: [upToThreeDigits, ideographsAndKana, DeepSeekWords()])
        case "poro-chat", "bloom", "gpt3-finnish": PreTokenizer(patterns: [unpunctuated])
        case "viking": PreTokenizer(patterns: [unpunctuated, singleDigits])
        case "gemma4", "granite-embed-multi-311m":
            PreTokenizer(patterns: [Lines()], addsBeginningOfText: true, isByteLevel: false, keepsLineFeedRuns: true)
        case "sarvam-moe": PreTokenizer(patterns: [Lines()], isByteLevel: false)
        default:
            throw TokenizerError(
                .unknownPreTokenizer,
                """
                The model's pre-tokenizer '\(name)' is not implemented, so its text would be cut wrongly. \
                Use another model, or another engine for this one.
                """)
        }
    }

    private static let singleDigits = CharacterRuns(characters: CharacterClassSet(classes: .number), lengths: 1...1)
    private static let upToThreeDigits = CharacterRuns(characters: CharacterClassSet(classes: .number), lengths: 1...3)
    private static let threeDigits = CharacterRuns(characters: CharacterClassSet(ranges: [0x30...0x39]), lengths: 3...3)

    /// `[\p{P}\$\+<=>\^~\|]+`, and one symbol more where there is one.
    private static func punctuation(and symbol: UInt32?) -> CharacterRuns {
        var symbols: [UInt32] = [0x24, 0x2B, 0x3C, 0x3D, 0x3E, 0x5E, 0x7C, 0x7E]
        if let symbol { symbols.append(symbol) }
        return CharacterRuns(
            characters: CharacterClassSet(classes: .punctuation, ranges: symbols.sorted().map { $0...$0 }))
    }

    private static let fallback = PreTokenizer(patterns: [
        punctuation(and: nil), GPT2Words(), CharacterRuns(characters: CharacterClassSet(classes: .number)), threeDigits,
    ])

    private static let qwen35 = LlamaWords(
        letters: [.letter, .mark], digits: 1, punctuation: [.punctuation, .symbol, .other])

    private static let lineBreak = CharacterRuns(
        characters: CharacterClassSet(ranges: [0x0A...0x0A, 0x0D...0x0D]), lengths: 1...1)

    private static let deepSeekLLM: [any WordPattern] = [
        lineBreak, CharacterRuns(characters: .deepSeekLetters, lead: .whitespace),
        CharacterRuns(characters: .deepSeekPunctuation, lead: .whitespace), TrailingWhitespace(),
        CharacterRuns(characters: .deepSeekIdeographs), CharacterRuns(characters: CharacterClassSet(classes: .number)),
    ]

    private static let deepSeekCoder: [any WordPattern] = [
        lineBreak, CharacterRuns(characters: CharacterClassSet(classes: .letter), lead: .whitespace),
        CharacterRuns(characters: CharacterClassSet(classes: .punctuation), lead: .whitespace),
        CharacterRuns(characters: .deepSeekIdeographs), singleDigits,
    ]

    private static let ideographsAndKana = CharacterRuns(
        characters: CharacterClassSet(ranges: [0x3040...0x30FF, 0x4E00...0x9FA5]))

    /// ` ?[^(\s|.,!?…。，、।۔،)]+`.
    private static let unpunctuated = CharacterRuns(
        characters: CharacterClassSet(
            classes: .whitespace,
            ranges: [
                0x21...0x21, 0x28...0x29, 0x2C...0x2C, 0x2E...0x2E, 0x3F...0x3F, 0x7C...0x7C, 0x60C...0x60C,
                0x6D4...0x6D4, 0x964...0x964, 0x2026...0x2026, 0x3001...0x3002, 0xFF0C...0xFF0C,
            ], isInverted: true), lead: .space)
}
