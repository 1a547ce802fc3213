// SPDX-License-Identifier: Apache-2.0

import ParleyModelFile
import ParleyTesting
import ParleyTokenizer
import Testing

struct GGUFFileTokenizerTests {
    /// A description after changes to the metadata.
    private func description(
        _ tokenizer: TinyTokenizer = .bytePairs, _ changes: (inout GGUFWriter) -> Void = { _ in }
    ) throws -> TokenizerDescription {
        var writer = GGUFWriter()
        writer.metadata = tokenizer.metadata
        changes(&writer)
        return try writer.opened().tokenizerDescription()
    }

    @Test("byte pair encoding comes with its pre-tokenizer, kinds and merges")
    func describesBytePairs() throws {
        let description = try description()
        #expect(description.algorithm == .bytePairEncoding(preTokenizer: "gpt-2"))
        #expect(description.tokens.map(\.text) == TinyTokenizer.bytePairs.tokens)
        #expect(description.tokens[1] == .init(text: "<|im_start|>", kind: .control))
        #expect(description.tokens[3].kind == .normal)
        #expect(description.merges.first == "Ġ t")
        #expect(description.beginningOfText == 1)
        #expect(description.endOfText == 2)
        #expect(description.unknown == 0)
        #expect(description.endOfTurn == nil)
        #expect(description.addsBeginningOfText == false)
        #expect(description.addsEndOfText == nil)
    }

    @Test("SentencePiece comes with scores and byte tokens")
    func describesSentencePiece() throws {
        let description = try description(.sentencePiece)
        #expect(description.algorithm == .sentencePiece)
        #expect(description.merges.isEmpty)
        #expect(description.tokens[0].kind == .unknown)
        #expect(description.tokens[5] == .init(text: "<0x00>", kind: .byte))
        #expect(description.tokens.last?.score ?? 0 > 0)
        #expect(description.endOfTurn == 4)
    }

    @Test("Gemma 4's vocabulary is byte pair encoding with a pre-tokenizer of its own")
    func describesGemma4() throws {
        let description = try description { $0.set("tokenizer.ggml.model", .string("gemma4")) }
        #expect(description.algorithm == .bytePairEncoding(preTokenizer: "gemma4"))
    }

    @Test("WordPiece comes with BERT's tokens for beginning and end, which every text has")
    func describesWordPiece() throws {
        let tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "▁a", "b"]
        let description = try description { writer in
            writer.metadata = [
                .init("tokenizer.ggml.model", .string("bert")),
                .init("tokenizer.ggml.tokens", .strings(tokens)),
            ]
            writer.set("tokenizer.ggml.cls_token_id", .uint32(2))
            writer.set("tokenizer.ggml.seperator_token_id", .uint32(3))
            writer.set("tokenizer.ggml.unknown_token_id", .uint32(1))
            writer.set("tokenizer.ggml.bos_token_id", .uint32(0))
            writer.set("tokenizer.ggml.add_bos_token", .bool(false))
        }
        #expect(description.algorithm == .wordPiece)
        #expect(description.tokens.map(\.text) == tokens && description.merges.isEmpty)
        #expect(description.beginningOfText == 2 && description.endOfText == 3 && description.unknown == 1)
        #expect(description.addsBeginningOfText == true && description.addsEndOfText == true)
    }

    @Test("optional entries may be missing")
    func toleratesMissingEntries() throws {
        let description = try description { writer in
            writer.metadata.removeAll { !["model", "tokens", "merges"].contains($0.key.split(separator: ".").last) }
        }
        #expect(description.algorithm == .bytePairEncoding(preTokenizer: "default"))
        #expect(description.tokens.allSatisfy { $0.kind == .normal && $0.score == 0 })
        #expect(description.beginningOfText == nil)
    }

    @Test("scores may be integers, and unknown kinds of tokens are unused tokens")
    func readsOddEntries() throws {
        let description = try description { writer in
            let count = TinyTokenizer.bytePairs.tokens.count
            writer.set("tokenizer.ggml.scores", .integers((0..<count).map { Int32($0) }))
            writer.set("tokenizer.ggml.token_type", .integers((0..<count).map { $0 == 7 ? 77 : 1 }))
        }
        #expect(description.tokens[9].score == 9)
        #expect(description.tokens[7].kind == .unused)
        #expect(description.tokens[8].kind == .normal)
    }

    @Test("other kinds of vocabulary are an error that names them")
    func refusesOtherModels() {
        #expect(
            code { _ = try description { $0.set("tokenizer.ggml.model", .string("rwkv")) } } == .unsupportedTokenizer)
        #expect(code { _ = try GGUFWriter().opened().tokenizerDescription() } == .missingKey)
    }

    @Test("ids outside the vocabulary are refused", arguments: ["bos", "eos", "eot", "eom", "unknown"])
    func refusesIDs(role: String) {
        let key = "tokenizer.ggml.\(role)_token_id"
        let count = TinyTokenizer.bytePairs.tokens.count
        #expect(code { _ = try description { $0.set(key, .uint32(UInt32(count - 1))) } } == nil)
        for value: GGUFWriter.Value in [.uint32(UInt32(count)), .uint32(.max), .int32(-1), .int64(1 << 40)] {
            #expect(code { _ = try description { $0.set(key, value) } } == .invalidValue)
        }
        #expect(code { _ = try description { $0.set(key, .string("2")) } } == .wrongType)
    }

    @Test("arrays shorter than the vocabulary, empty vocabularies and merges that are no pairs are refused")
    func refusesShortArrays() {
        for key in ["tokenizer.ggml.scores", "tokenizer.ggml.token_type"] {
            #expect(code { _ = try description { $0.set(key, .integers([1])) } } == .invalidValue)
            #expect(code { _ = try description { $0.set(key, .bools([true])) } } == .wrongType)
        }
        #expect(code { _ = try description { $0.set("tokenizer.ggml.tokens", .strings([])) } } == .invalidValue)
        #expect(code { _ = try description { $0.set("tokenizer.ggml.tokens", .integers([1])) } } == .wrongType)
        for merge in ["ab", "", " "] {
            #expect(
                code { _ = try description { $0.set("tokenizer.ggml.merges", .strings([merge])) } } == .invalidValue)
        }
        #expect(code { _ = try description { $0.set("tokenizer.ggml.merges", .strings(["  a"])) } } == nil)
    }
}
