// SPDX-License-Identifier: Apache-2.0

import ParleyRuntime
import ParleyTokenizer
import Testing

@Suite("Pre-tokenizers")
struct PreTokenizerTests {
    private func words(_ name: String, _ text: String) throws -> [String] {
        try PreTokenizer.named(name).words(of: Array(text.utf8)).map { word in
            var text = String.UnicodeScalarView()
            text.append(contentsOf: word)
            return String(text)
        }
    }

    @Test("GPT-2 keeps a space with the following word, and separates several spaces from the last one")
    func gpt2() throws {
        #expect(
            try words("gpt-2", "I'll go  to 1234 x!? ") == ["I", "'ll", " go", " ", " to", " 1234", " x", "!?", " "])
        #expect(try words("gpt-2", "I'LL") == ["I", "'", "LL"])
        #expect(try words("gpt-2", "a\n\n b") == ["a", "\n\n", " b"])
    }

    @Test("Llama 3 groups three digits, takes line breaks after punctuation, and knows contractions in capitals")
    func llama3() throws {
        #expect(
            try words("llama-bpe", "I'LL 12345.\n\n x\n  y")
                == ["I", "'LL", " ", "123", "45", ".\n\n", " x", "\n", " ", " y"])
        #expect(try words("llama-bpe", "(word  \n ") == ["(word", "  \n", " "])
    }

    @Test("Qwen 2 takes digits one by one")
    func qwen2() throws {
        #expect(try words("qwen2", "a 12") == ["a", " ", "1", "2"])
    }

    @Test("Qwen 3.5 keeps combining marks with their letters, Qwen 2 does not")
    func marks() throws {
        #expect(try words("qwen35", "e\u{301}x !\u{301}") == ["e\u{301}x", " !", "\u{301}"])
        #expect(try words("qwen2", "e\u{301}x") == ["e", "\u{301}x"])
    }

    @Test(
        "StarCoder and its relatives take digits one by one and words as GPT-2 does", arguments: ["smollm", "refact"])
    func starcoder(name: String) throws {
        #expect(try words(name, "ab 12 c") == ["ab", " ", "1", "2", " c"])
    }

    @Test("Falcon separates punctuation and groups three ASCII digits")
    func falcon() throws {
        #expect(try words("falcon", "ab, 12345`x") == ["ab", ",", " ", "123", "45", "`", "x"])
    }

    @Test("GPT-4o and Tekken split words where an upper-case letter follows a lower-case one")
    func casing() throws {
        #expect(try words("gpt-4o", "camelCase HTTPServer don't") == ["camel", "Case", " HTTPServer", " don't"])
        #expect(try words("tekken", "don't 12") == ["don", "'t", " ", "1", "2"])
        #expect(try words("gpt-4o", "./\n/x") == ["./\n/", "x"])
    }

    @Test("Letters outside ASCII count as both upper and lower case")
    func caselessLetters() throws {
        #expect(try words("tekken", "ÄBC") == ["Ä", "BC"])
        #expect(try words("tekken", "ABÄCd") == ["ABÄCd"])
        #expect(try words("tekken", "dÄB") == ["dÄ", "B"])
    }

    @Test("DeepSeek's patterns isolate line breaks, ideographs and digits")
    func deepSeek() throws {
        #expect(try words("deepseek-llm", "ab\n\nc 漢字12x") == ["ab", "\n", "\n", "c", " ", "漢字", "12", "x"])
        #expect(try words("deepseek-coder", "ab漢 12") == ["ab", "漢", " ", "1", "2"])
        #expect(try words("deepseek-v3", "x 12345漢字.foo!\n") == ["x", " ", "123", "45", "漢字", ".foo", "!\n"])
    }

    @Test("Gemma 4 separates lines from line feeds")
    func gemma4() throws {
        #expect(try words("gemma4", "a b\n\nc\r\n") == ["a b", "\n\n", "c\r", "\n"])
    }

    @Test("White space before the end is scanned only once")
    func longWhitespace() throws {
        let text = String(repeating: " ", count: 300_000) + "1"
        for name in ["deepseek-llm", "deepseek-coder", "gpt-2", "llama-bpe", "tekken", "default", "deepseek-v3"] {
            #expect(try words(name, text).joined() == text)
        }
    }

    @Test("Invalid UTF-8 is read as llama.cpp reads it")
    func invalidText() throws {
        let preTokenizer = try PreTokenizer.named("gpt-2")
        #expect(preTokenizer.words(of: [0xC1, 0x81]) == [["A"]])
        #expect(preTokenizer.words(of: [0x61, 0xE2, 0x82]) == [["a"], ["\u{FFFD}", "\u{FFFD}"]])
        #expect(preTokenizer.words(of: [0xF7, 0xBF, 0xBF, 0xBF]).joined().count == 4)
    }

    @Test("The joined pieces are the text, whatever the pre-tokenizer", arguments: names)
    func completeness(name: String) throws {
        var random = SplitMix64(seed: 11)
        let alphabet = Array("aBÄé1٣½漢가 \n\r\t\u{3000}\u{85}.'s!/$|\u{301}😀\u{0}\u{200B}".unicodeScalars)
        for _ in 0..<200 {
            let scalars = (0..<20).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &random)] }
            let text = String(String.UnicodeScalarView(scalars))
            let pieces = try words(name, text)
            #expect(pieces.joined().unicodeScalars.elementsEqual(text.unicodeScalars))
            #expect(!pieces.contains(""))
        }
    }

    private static let names = [
        "default", "gpt-2", "mpt", "olmo", "starcoder", "refact", "command-r", "smollm", "falcon", "llama-bpe", "lfm2",
        "falcon3", "dbrx", "qwen2", "deepseek-r1-qwen", "qwen35", "tekken", "gpt-4o", "deepseek-llm", "deepseek-coder",
        "deepseek-v3", "gemma4", "viking", "minicpm5", "laguna", "seed-coder", "ufakzeka", "granite-embed-multi-97m",
    ]
}
