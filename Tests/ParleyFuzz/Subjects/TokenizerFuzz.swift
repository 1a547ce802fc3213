// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyModelFile
import ParleyRuntime
import ParleyTokenizer

/// Text of users and templates with tokenizers of all kinds: decoding gives it back, and input never becomes a control
/// token.
struct TokenizerFuzz: FuzzSubject {
    static let name = "tokenizer"

    private struct Candidate {
        var tokenizer: Tokenizer
        /// The marks that only templates may write, as the text of a template that writes all of them.
        var template: String
        var marks: [(text: String, id: TokenID)]
        /// Texts around which tokens are made.
        var pieces: [String]
        var restoresText: Bool
    }

    /// Vocabularies of real models, where they were fetched.
    private let fetched: [Candidate]

    init() throws {
        let root = ProcessInfo.processInfo.environment["PARLEY_REFERENCES"] ?? ".build/references"
        fetched = ["llama-spm", "gpt-2", "phi-3", "deepseek-llm"].compactMap { name in
            let url = URL(filePath: root).appending(path: "vocabularies/ggml-vocab-\(name).gguf")
            guard let tokenizer = try? Tokenizer(GGUFFile(contentsOf: url).tokenizerDescription()) else { return nil }
            let control = (0..<TokenID(tokenizer.vocabularySize)).filter(tokenizer.isControl).prefix(8)
            let marks = control.compactMap { id in tokenizer.spelling(of: id).map { ($0, id) } }
            return Candidate(
                tokenizer: tokenizer, template: "", marks: marks.filter { $0.0 != "<unk>" }, pieces: ["the", " a"],
                restoresText: name != "deepseek-llm")
        }
    }

    func run(_ random: inout SplitMix64) async throws {
        let candidate: Candidate
        if !fetched.isEmpty, random.oneIn(4) {
            candidate = random.pick(fetched)
        } else {
            candidate = try random.oneIn(2) ? Self.bytePairs(&random) : Self.sentencePiece(&random)
        }
        let text = Self.text(candidate, &random)
        try Self.checkRoundTrip(text, candidate)
        try Self.checkStreaming(candidate.tokenizer, &random)
        try Self.checkInput(text, candidate, &random)
    }

    // MARK: Properties

    /// Decoding gives back what was encoded.
    private static func checkRoundTrip(_ text: String, _ candidate: Candidate) throws {
        let tokenizer = candidate.tokenizer
        // A space that SentencePiece adds after a special token cannot be distinguished from one in the text.
        let hasTokens =
            tokenizer.addsSpacePrefix
            && candidate.marks.contains { count(of: Array($0.text.utf8), in: Array(text.utf8)) > 0 }
        guard candidate.restoresText, !hasTokens, !text.unicodeScalars.contains("▁") else { return }
        let back = tokenizer.decode(tokenizer.encode(text))
        guard back.utf8.elementsEqual(text.utf8) else {
            throw FuzzFailure("\(text.debugDescription) came back as \(back.debugDescription)")
        }
    }

    /// The text decoded token by token equals the text of all bytes decoded at once.
    private static func checkStreaming(_ tokenizer: Tokenizer, _ random: inout SplitMix64) throws {
        let ids = (0..<random.int(0...40)).map { _ in TokenID(random.int(-1...tokenizer.vocabularySize)) }
        let shows = random.oneIn(2)
        var bytes = ids.flatMap { tokenizer.bytes(of: $0, showsControlTokens: shows) }
        if tokenizer.addsSpacePrefix, let first = ids.first,
            tokenizer.bytes(of: first, showsControlTokens: shows).first == 0x20
        {
            bytes.removeFirst()
        }
        var detokenizer = StreamingDetokenizer(tokenizer, showsControlTokens: shows)
        var text = ""
        for id in ids {
            let piece = detokenizer.append(id)
            text += piece
        }
        text += detokenizer.finish()
        guard text.utf8.elementsEqual(String(decoding: bytes, as: UTF8.self).utf8) else {
            throw FuzzFailure("\(ids) came as \(text.debugDescription)")
        }
    }

    /// User text never becomes a token of the template, alone or together with the template's text.
    private static func checkInput(_ text: String, _ candidate: Candidate, _ random: inout SplitMix64) throws {
        let tokenizer = candidate.tokenizer
        let reserved = tokenizer.reservedTokens(writtenBy: candidate.template)
        var segments: [TextSegment] = []
        var rest = Array(text.unicodeScalars)[...]
        while !rest.isEmpty {
            let count = random.int(0...max(1, min(rest.count, 12)))
            var piece = ""
            piece.unicodeScalars.append(contentsOf: rest.prefix(count))
            rest = rest.dropFirst(count)
            segments.append(TextSegment(piece, origin: random.oneIn(3) ? .template : .input))
        }
        let ids = tokenizer.encode(segments, reserving: reserved)
        // The template's text, with a byte that no token has in place of each input.
        let written = segments.map { $0.origin == .template || $0.text.isEmpty ? Array($0.text.utf8) : [0xFF] }.joined()
        let bytes = Array(written)
        for mark in candidate.marks {
            let found = ids.count { $0 == mark.id }
            if found > 0, count(of: Array(mark.text.utf8), in: bytes) < found {
                throw FuzzFailure("\(mark.text) \(found) times in \(segments)")
            }
        }
    }

    /// How often a text stands in another, without overlap.
    private static func count(of part: [UInt8], in text: [UInt8]) -> Int {
        var (count, start) = (0, 0)
        while start + part.count <= text.count {
            let isFound = text[start] == part[0] && text[start..<start + part.count].elementsEqual(part)
            count += isFound ? 1 : 0
            start += isFound ? part.count : 1
        }
        return count
    }

    // MARK: Texts

    private static func text(_ candidate: Candidate, _ random: inout SplitMix64) -> String {
        if random.oneIn(2_000) {
            return String(
                repeating: random.pick(["a", " ", "\n", "é", "<", "👩‍👧", "\u{301}"]), count: random.int(1...60_000))
        }
        var text = ""
        for _ in 0..<random.int(0...16) {
            switch random.int(0...7) {
            case 0: text += random.pick(candidate.pieces)
            case 1 where !candidate.marks.isEmpty: text += random.pick(candidate.marks).text
            case 2 where !candidate.marks.isEmpty:
                let mark = Array(random.pick(candidate.marks).text.unicodeScalars)
                let cut = random.int(0...mark.count)
                text.unicodeScalars.append(contentsOf: random.oneIn(2) ? mark[..<cut] : mark[cut...])
            case 3: text += String(repeating: random.pick(["a", " ", "\n", "=", "\t"]), count: random.int(1...40))
            case 4:
                let value = UInt32(truncatingIfNeeded: random.hostileInteger()) % 0x11_0000
                if let scalar = Unicode.Scalar(value) { text.unicodeScalars.append(scalar) }
            case 5:
                text += random.pick([
                    "e\u{301}", "👩‍👩‍👧", "🇩🇪", "\u{FEFF}", "\u{200D}", "\r\n", "\0", "汉字", "𝒳", "ẞ", "\u{10FFFF}",
                ])
            default:
                text += random.pick(["<", "|", ">", "[", "]", "a", "b", "ab", " a", "1", "12", "'s", ".", "<0x41>"])
            }
        }
        return text
    }

    // MARK: Vocabularies

    private static let markTexts = [
        "<|im_start|>", "<|im_end|>", "[INST]", "[/INST]", "<think>", "</think>", "<|a|>", "<|a|><|b|>", "<s>", "</s>",
        "<start_of_turn>", "<<SYS>>", "<｜end｜>",
    ]

    /// Some marks of random kinds, which the template writes.
    private static func marks(_ random: inout SplitMix64) -> [TokenizerDescription.Token] {
        markTexts.filter { _ in random.oneIn(2) }.map { text in
            TokenizerDescription.Token(text: text, kind: random.pick([.control, .userDefined, .userDefined]))
        }
    }

    private static func candidate(
        _ description: TokenizerDescription, _ marks: [TokenizerDescription.Token], _ pieces: [String]
    ) throws -> Candidate {
        let tokenizer = try Tokenizer(description)
        let known = marks.compactMap { mark in tokenizer.id(ofSpelling: mark.text).map { (mark.text, $0) } }
        return Candidate(
            tokenizer: tokenizer, template: marks.map(\.text).joined(separator: "\n"), marks: known, pieces: pieces,
            restoresText: true)
    }

    private static func bytePairs(_ random: inout SplitMix64) throws -> Candidate {
        var texts = alphabet
        var merges: [String] = []
        for _ in 0..<random.int(0...24) {
            // Some merges lead to marks, as they may in a file.
            let pair = (random.pick(texts.suffix(90)), random.pick(texts.suffix(90)))
            let text = pair.0 + pair.1
            guard text.unicodeScalars.count < 9, !texts.contains(text) else { continue }
            texts.append(text)
            merges.append("\(pair.0) \(pair.1)")
        }
        if random.oneIn(3) { grow("<s>", &texts, &merges) }
        let marks = marks(&random).filter { !texts.contains($0.text) }
        let plain = ["  ", "\n\n", "<table>"].filter { _ in random.oneIn(2) }
        let tokens =
            texts.map { TokenizerDescription.Token(text: $0) }
            + plain.map { TokenizerDescription.Token(text: $0, kind: .userDefined) } + marks
        var description = TokenizerDescription(
            algorithm: .bytePairEncoding(
                preTokenizer: random.pick(["gpt-2", "llama-bpe", "qwen2", "deepseek-llm", "tekken"])),
            tokens: tokens, merges: merges)
        var known = marks
        if let end = texts.firstIndex(of: "<s>") {
            description.endOfText = TokenID(end)
            known.append(TokenizerDescription.Token(text: "<s>"))
        }
        return try candidate(description, known, plain + ["<s>"])
    }

    private static func sentencePiece(_ random: inout SplitMix64) throws -> Candidate {
        let special: [TokenizerDescription.Token] = [
            .init(text: "<unk>", kind: .unknown), .init(text: "<bos>", kind: .control),
            .init(text: "<eos>", kind: .control),
        ]
        let bytes = (0..<256).map { byte in
            TokenizerDescription.Token(
                text: "<0x" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true) + ">", kind: .byte)
        }
        // Without a token for it, the space is written as the bytes of ▁, and decoded as these.
        var texts = ["▁"] + ["a", "b", "<", ">", "|", "s", "é"].filter { _ in !random.oneIn(4) }
        for _ in 0..<random.int(0...16) {
            let text = random.pick(texts + ["▁"]) + random.pick(texts + ["a"])
            if text.unicodeScalars.count < 7, !texts.contains(text) { texts.append(text) }
        }
        if random.oneIn(3) { for text in ["<s", "<s>"] where !texts.contains(text) { texts.append(text) } }
        let marks = marks(&random).filter { !texts.contains($0.text) }
        let pieces = texts.map { TokenizerDescription.Token(text: $0, score: Float(random.int(-20...0))) }
        var description = TokenizerDescription(
            algorithm: .sentencePiece, tokens: special + bytes + pieces + marks, beginningOfText: 1, endOfText: 2,
            unknown: 0, addsSpacePrefix: random.oneIn(2))
        var known = marks + special.dropFirst()
        if let end = texts.firstIndex(of: "<s>") {
            description.endOfTurn = TokenID(special.count + bytes.count + end)
            known.append(TokenizerDescription.Token(text: "<s>"))
        }
        return try candidate(description, known, texts.map { $0.replacing("▁", with: " ") } + ["a"])
    }

    /// Adds the merges that lead to a text.
    private static func grow(_ text: String, _ texts: inout [String], _ merges: inout [String]) {
        var made = ""
        for scalar in text.unicodeScalars {
            if !made.isEmpty { merges.append("\(made) \(scalar)") }
            made.unicodeScalars.append(scalar)
            if !texts.contains(made) { texts.append(made) }
        }
    }

    private static let alphabet = (0..<256).map(spelling)

    /// The character that stands for a byte in GPT-2's alphabet.
    private static func spelling(ofByte byte: Int) -> String {
        let printable = Array(0x21...0x7E) + Array(0xA1...0xAC) + Array(0xAE...0xFF)
        let value = printable.contains(byte) ? byte : 0x100 + (0..<byte).count { !printable.contains($0) }
        return Unicode.Scalar(UInt32(value)).map { String(Character($0)) } ?? "?"
    }
}
