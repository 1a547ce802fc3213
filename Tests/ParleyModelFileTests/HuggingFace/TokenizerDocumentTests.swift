// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyJSON
import ParleyModelFile
import ParleyTestSupport
import ParleyTesting
import ParleyTokenizer
import Testing

/// Vocabularies that the `tokenizers` library trained, and digests of the ids it gives texts, as recorded by
/// `scripts/reference/huggingface/record_tokenizers.py`.
private enum Recorded {
    static let golden: JSONValue? = {
        let url = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Goldens/tokenizers.json")
        return (try? Data(contentsOf: url.standardized)).flatMap { try? JSONValue(parsing: Array($0)) }
    }()

    static var texts: [String] { golden?["strings"]?.array?.compactMap(\.string) ?? [] }

    static var names: [String] { golden?["vocabularies"]?.array?.compactMap { $0["name"]?.string } ?? [] }

    static func vocabulary(_ name: String) -> JSONValue? {
        golden?["vocabularies"]?.array?.first { $0["name"]?.string == name }
    }

    /// 24 bits of FNV-1a over the ids.
    static func digest(_ ids: [TokenID]) -> String {
        var value: UInt32 = 0x811C_9DC5
        for id in ids {
            for shift in [0, 8, 16, 24] as [UInt32] {
                value = (value ^ (UInt32(bitPattern: id) >> shift & 255)) &* 0x0100_0193
            }
        }
        let digits = String(value & 0xFF_FFFF, radix: 16)
        return String(repeating: "0", count: 6 - digits.count) + digits
    }
}

@Suite("tokenizer.json")
struct TokenizerDocumentTests {
    private func tokenizer(_ document: JSONValue) throws -> Tokenizer {
        try Tokenizer(TokenizerDescription(tokenizerDocument: Array(document.text().utf8)))
    }

    @Test("there are vocabularies of every kind, and 2,000 texts")
    func coversKinds() {
        #expect(Recorded.names.count == 13)
        #expect(Recorded.texts.count == 2_000)
    }

    @Test("the ids of 2,000 texts are those of the tokenizers library", arguments: Recorded.names)
    func givesSameIDs(name: String) throws {
        let recorded = try #require(Recorded.vocabulary(name))
        let tokenizer = try tokenizer(#require(recorded["document"]))
        let digests = Array(try #require(recorded["digests"]?.string).utf8)
        var wrong: [String] = []
        for (number, text) in Recorded.texts.enumerated() {
            let ids = tokenizer.encode(text, specialTokens: .parsed)
            let expected = String(decoding: digests[number * 6..<number * 6 + 6], as: UTF8.self)
            if Recorded.digest(ids) != expected { wrong.append("\(String(reflecting: text)) \(ids)") }
        }
        #expect(wrong.isEmpty, "\(wrong.count) of \(Recorded.texts.count), first \(wrong.prefix(3))")
    }

    @Test("what no step here does is refused by its name")
    func refusesByName() throws {
        let document = try #require(Recorded.vocabulary("clip")?["document"])
        func refusal(_ key: String, _ value: JSONValue) throws -> String? {
            var changed = document
            changed[key] = value
            let error = #expect(throws: ModelFileError.self) {
                _ = try TokenizerDescription(tokenizerDocument: Array(changed.text().utf8))
            }
            #expect(error?.code == .unsupportedTokenizer)
            return error?.message
        }
        #expect(try refusal("normalizer", ["type": "Precompiled"])?.contains("“Precompiled”") == true)
        #expect(try refusal("pre_tokenizer", ["type": "UnicodeScripts"])?.contains("“UnicodeScripts”") == true)
        #expect(try refusal("decoder", ["type": "CTC"])?.contains("“CTC”") == true)
        let model: JSONValue = ["type": "Other", "vocab": ["<|end|>": 0]]
        #expect(try refusal("model", model)?.contains("“Other”") == true)
        for (expression, part) in [(#"\p{Han}+"#, "Han"), ("(a+)+", "repeated"), (#"a\b"#, "b"), ("[a&&b]", "&&")] {
            let step: JSONValue = ["type": "Split", "pattern": ["Regex": .string(expression)], "behavior": "Isolated"]
            #expect(try refusal("pre_tokenizer", step)?.contains(part) == true)
        }
    }

    @Test(
        "patterns that are too long, or whose matches have too many parts, are refused",
        arguments: [
            ("String", "a", 10_001, "10001"), ("Regex", "a", 10_001, "length"), ("Regex", "a?", 1_000, "parts"),
            ("Regex", "(?:(?:(?:a|b){16}){16}){16}", 1, "parts"),
        ])
    func refusesLongPatterns(kind: String, part: String, count: Int, what: String) throws {
        var document = try #require(Recorded.vocabulary("clip")?["document"])
        let pattern = JSONValue.string(String(repeating: part, count: count))
        document["normalizer"] = ["type": "Replace", "pattern": [kind: pattern], "content": "b"]
        let bytes = Array(document.text().utf8)
        let error = #expect(throws: ModelFileError.self) { try TokenizerDescription(tokenizerDocument: bytes) }
        #expect(error?.code == .unsupportedTokenizer)
        #expect(error?.message.contains(what) == true)
    }

    @Test("steps count also in sequences of sequences")
    func countsSteps() throws {
        var document = try #require(Recorded.vocabulary("clip")?["document"])
        let step: JSONValue = ["type": "Lowercase"]
        let sequence: JSONValue = ["type": "Sequence", "normalizers": .array(Array(repeating: step, count: 40))]
        document["normalizer"] = ["type": "Sequence", "normalizers": [sequence, sequence]]
        let bytes = Array(document.text().utf8)
        #expect(code { _ = try TokenizerDescription(tokenizerDocument: bytes) } == .invalidValue)
    }

    @Test("a control token in ordinary text is no control token, whatever the vocabulary", arguments: Recorded.names)
    func readsControlTokensAsText(name: String) throws {
        let recorded = try #require(Recorded.vocabulary(name)?["document"])
        let tokenizer = try tokenizer(recorded)
        for added in recorded["added_tokens"]?.array ?? [] where added["special"]?.bool == true {
            let text = try #require(added["content"]?.string)
            // A mark of this text is ordinary in every vocabulary, as in llama.cpp.
            if text == "<|start|>" { continue }
            let id = TokenID(try #require(added["id"]?.integer))
            let isUnknown = text.lowercased().contains("unk") || name == "clip"
            #expect(tokenizer.encode("a \(text) b", specialTokens: .parsed).contains(id), "\(text)")
            if !isUnknown { #expect(!tokenizer.encode("a \(text) b").contains(id), "\(text)") }
            let segments = [TextSegment("a \(text)", origin: .template), TextSegment(" \(text) b", origin: .input)]
            if !isUnknown { #expect(tokenizer.encode(segments).count { $0 == id } == 1, "\(text)") }
        }
    }

    @Test("text survives being encoded and decoded", arguments: ["gpt-2", "qwen-2", "o200k", "llama-2"])
    func decodes(name: String) throws {
        let tokenizer = try tokenizer(#require(Recorded.vocabulary(name)?["document"]))
        for text in ["hello world", "Grüße, 世界! 😀 12", "  two  spaces\n"] {
            #expect(tokenizer.decode(tokenizer.encode(text)) == text)
        }
    }

    @Test("tokens that differ only in how their characters are composed have ids of their own")
    func tellsCompositionsApart() throws {
        let (composed, decomposed) = ("\u{E9}", "e\u{301}")
        let vocabulary = try JSONValue(parsing: "{\"?\": 0, \"\(decomposed)\": 1, \"\(composed)\": 2}")
        let document: JSONValue = [
            "model": ["type": "WordLevel", "unk_token": "?", "vocab": vocabulary],
            "added_tokens": [["id": 1, "content": .string(decomposed)]],
        ]
        let tokenizer = try tokenizer(document)
        #expect(tokenizer.encode(decomposed, specialTokens: .parsed) == [1])
        #expect(tokenizer.encode(composed, specialTokens: .parsed) == [2])
    }

    @Test("a document that claims an id beyond its tokens, or the same one twice, is refused")
    func refusesBadIDs() {
        for vocabulary in [#"{"a":4294967296}"#, #"{"a":-1}"#, #"{"a":0,"b":0}"#, #"{"a":0,"a":1}"#, "{}", "[1]", "3"] {
            let text = #"{"model":{"type":"WordLevel","unk_token":"a","vocab":\#(vocabulary)}}"#
            #expect(code { _ = try TokenizerDescription(tokenizerDocument: Array(text.utf8)) } != nil, "\(vocabulary)")
        }
    }
}
