// SPDX-License-Identifier: Apache-2.0

import ParleyJSON
import ParleyModelFile
import ParleyRuntime
import ParleyTesting
import ParleyTokenizer

/// Almost valid `tokenizer.json`: damaged text, bombs of values and of depth, ids that occur twice or lead nowhere,
/// steps with hostile expressions. What can be read is a tokenizer whose tokens are all of its vocabulary.
struct TokenizerDocumentFuzz: FuzzSubject {
    static let name = "tokenizer-documents"

    private let seeds: [[UInt8]]
    private static let pieces = [
        "{", "}", "[", "]", ",", ":", "\"", "\\u0000", "\\ud800", "null", "true", "-1", "0", "4294967295",
        "9223372036854775808", "1e999", "\"type\":\"BPE\"", "\"type\":\"Unigram\"", "\"type\":\"WordPiece\"",
        "\"type\":\"WordLevel\"", "\"type\":\"Sequence\",\"normalizers\":[]", "\"type\":\"Metaspace\"",
        "\"type\":\"Replace\"",
        "\"byte_fallback\":true", "\"ignore_merges\":true", "\"unk_token\":\"a\"", "\"lstrip\":true", "\"id\":0",
        "\"id\":255",
        "\"content\":\"\"", "\"normalized\":true", "\"single_word\":true", "\"dropout\":0.5",
    ].map { Array($0.utf8) }
    private static let expressions = [
        "a*", "(?i:'s|'t)", "\\\\p{L}+", "[^\\\\s\\\\p{L}]+", "(a|b)*c", "(a|a)*b", "a{1,1000000}", "a{99999999999}",
        "(((((a)))))", "[z-a]",
        "\\\\", "(?=a)", "(?!", "[", "a**", "\\\\s+(?!\\\\S)", "\\\\p{", "^$", "", ".*.*.*.*x",
    ]

    init() throws {
        var seeds = [Array(TinyTokenizer.bytePairs.folderDocument.text().utf8)]
        let splitter =
            #"{"type":"Sequence","pretokenizers":[{"type":"Split","pattern":{"Regex":"EXPRESSION"},"#
            + #""behavior":"Isolated","invert":false},{"type":"Metaspace","replacement":"▁","prepend_scheme":"first"}]}"#
        let normalizer =
            #"{"type":"Sequence","normalizers":[{"type":"NFKC"},{"type":"Replace","pattern":{"Regex":"EXPRESSION"},"#
            + #""content":"▁"},{"type":"Lowercase"},{"type":"Strip","strip_left":true,"strip_right":false}]}"#
        let models = [
            #"{"type":"BPE","unk_token":"<u>","byte_fallback":true,"vocab":{"<u>":0,"a":1,"b":2,"ab":3,"<0x41>":4,"▁":5},"merges":["a b"]}"#,
            #"{"type":"Unigram","unk_id":0,"vocab":[["<u>",0],["a",-1.5],["▁",-2],["ab",-1e30]]}"#,
            #"{"type":"WordPiece","unk_token":"<u>","continuing_subword_prefix":"%%","max_input_chars_per_word":100,"vocab":{"<u>":0,"a":1,"%%b":2}}"#,
            #"{"type":"WordLevel","unk_token":"<u>","vocab":{"<u>":0,"a":1,"b":2}}"#,
        ]
        for model in models {
            let text =
                #"{"version":"1.0","added_tokens":[{"id":0,"content":"<u>","special":true},{"id":9,"content":"<x>","lstrip":true}],"#
                + #""normalizer":\#(normalizer),"pre_tokenizer":\#(splitter),"post_processor":null,"decoder":null,"model":\#(model)}"#
            seeds.append(Array(text.utf8))
        }
        self.seeds = seeds
    }

    func run(_ random: inout SplitMix64) throws {
        let expression = random.oneIn(3) ? random.pick(Self.expressions) : "\\\\s+"
        let seed = String(decoding: random.pick(seeds), as: UTF8.self).replacing("EXPRESSION", with: expression)
        var bytes = Array(seed.utf8)
        switch random.int(0...9) {
        case 0: bytes = Self.bomb(&random)
        case 1: break
        default: bytes = random.mutated(bytes, changes: 6, with: Self.pieces)
        }
        let result = Result<TokenizerDescription, ModelFileError> { () throws(ModelFileError) in
            try TokenizerDescription(tokenizerDocument: bytes)
        }
        if case .failure(let error) = result, error.message.utf8.count > 4_000 {
            throw FuzzFailure("The message is \(error.message)")
        }
        guard case .success(let description) = result else { return }
        for id in [description.beginningOfText, description.endOfText, description.unknown].compactMap(\.self)
        where !(0..<TokenID(description.tokens.count)).contains(id) {
            throw FuzzFailure("The token \(id) is none of \(description.tokens.count).")
        }
        guard description.tokens.count < 300_000, let tokenizer = try? Tokenizer(description) else { return }
        for text in ["", "a", "ab a  b", "<x> a<u>b", "é😀\n\n x", String(repeating: "ab ", count: 60)] {
            for id in tokenizer.encode(text, specialTokens: random.oneIn(2) ? .parsed : .asText)
            where !(0..<TokenID(description.tokens.count)).contains(id) {
                throw FuzzFailure("\(text.debugDescription) has the token \(id) of \(description.tokens.count).")
            }
            _ = tokenizer.decode(tokenizer.encode(text))
        }
    }

    /// A document that is much larger than what it says.
    private static func bomb(_ random: inout SplitMix64) -> [UInt8] {
        func repeated(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }
        let count = random.int(1...20_000)
        let text =
            switch random.int(0...6) {
            case 0: repeated("[", count) + repeated("]", count)
            case 1: repeated(#"{"model":"#, count)
            case 2: #"{"model":{"type":"BPE","vocab":{"a":0},"merges":["# + repeated(#""a a","#, count) + #""a a"]}}"#
            case 3: #"{"model":{"type":"WordLevel","vocab":{"a":\#(random.hostileInteger())}}}"#
            case 4:
                #"{"added_tokens":["# + repeated(#"{"id":1,"content":"x"},"#, count)
                    + #"{"id":1,"content":"x"}],"model":{"vocab":{"a":0}}}"#
            case 5:
                #"{"normalizer":"# + repeated(#"{"type":"Sequence","normalizers":["#, min(count, 200))
                    + repeated("]}", min(count, 200)) + #","model":{"type":"WordLevel","vocab":{"a":0}}}"#
            default: #"{"model":{"type":"Unigram","vocab":["# + repeated(#"["\u0061",0],"#, count) + #"["a",0]]}}"#
            }
        return Array(text.utf8)
    }
}
