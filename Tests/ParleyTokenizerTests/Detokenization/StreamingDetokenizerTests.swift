// SPDX-License-Identifier: Apache-2.0

import ParleyRuntime
import ParleyTokenizer
import Testing

@Suite("Streaming detokenizer")
struct StreamingDetokenizerTests {
    private let tokenizer: Tokenizer

    init() throws {
        tokenizer = try Tokenizer(
            TinyVocabularies.byteLevel(merges: ["Ġ h"], adding: [("<|x|>", .control), ("<t>", .userDefined)]))
    }

    @Test("A character is returned as a whole, with its last byte")
    func wholeCharacters() {
        var detokenizer = StreamingDetokenizer(tokenizer)
        #expect("é😀x".utf8.map { detokenizer.append(TokenID($0)) } == ["", "é", "", "", "", "😀", "x"])
        #expect(detokenizer.finish() == "")
    }

    @Test("An incomplete character at the end is one replacement character")
    func flush() {
        var detokenizer = StreamingDetokenizer(tokenizer)
        #expect([0xF0, 0x9F, 0x98].map { detokenizer.append($0) }.joined() == "")
        #expect(detokenizer.finish() == "\u{FFFD}")
        #expect(detokenizer.finish() == "")
        #expect(detokenizer.append(0x61) == "a")
    }

    @Test("Control tokens are shown only on request, user-defined ones always")
    func controlTokens() {
        #expect(tokenizer.decode([257, 97, 258]) == "a<t>")
        #expect(tokenizer.decode([257, 97], showsControlTokens: true) == "<|x|>a")
    }

    @Test("For any bytes, the joined strings equal decoding all bytes at once")
    func anyBytes() {
        var random = SplitMix64(seed: 1)
        let interesting: [UInt8] = [
            0x00, 0x61, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC2, 0xDF, 0xE0, 0xE1, 0xED, 0xEF, 0xF0, 0xF1,
            0xF4, 0xF5, 0xFF,
        ]
        for _ in 0..<5000 {
            let bytes = (0..<Int.random(in: 1...12, using: &random)).map { _ in
                interesting[Int.random(in: 0..<interesting.count, using: &random)]
            }
            var detokenizer = StreamingDetokenizer(tokenizer)
            let streamed = bytes.map { detokenizer.append(TokenID($0)) }.joined() + detokenizer.finish()
            #expect(streamed == String(decoding: bytes, as: UTF8.self), "\(bytes)")
        }
    }

    @Test("The space added before a SentencePiece text is removed, except in a continuation")
    func leadingSpace() throws {
        let tokenizer = try Tokenizer(TinyVocabularies.sentencePiece(["▁a", "▁▁a"]))
        var start = StreamingDetokenizer(tokenizer)
        #expect(start.append(259) == "a")
        #expect(start.append(259) == " a")
        var wide = StreamingDetokenizer(tokenizer)
        #expect(wide.append(260) == " a")
        var continuation = StreamingDetokenizer(tokenizer, startsText: false)
        #expect(continuation.append(259) == " a")
    }

    @Test("Byte tokens, unused tokens and odd spellings have the bytes one expects")
    func oddTokens() throws {
        let description = TinyVocabularies.sentencePiece(
            [],
            adding: [("<0xZZ>", .byte), ("<0x+A>", .byte), ("gone", .unused), ("é▁", .normal), ("▁u", .userDefined)])
        let tokenizer = try Tokenizer(description)
        #expect(tokenizer.bytes(of: 3 + 0xC3) == [0xC3])
        #expect((259...263).map { tokenizer.bytes(of: $0) } == [[], [], [], Array("é ".utf8), Array("▁u".utf8)])
    }
}
