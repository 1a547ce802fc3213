// SPDX-License-Identifier: Apache-2.0

import ParleyTesting
import ParleyWhisper
import Testing

@Suite struct TextPiecesTests {
    private let pieces = TextPieces(TinyWhisper.pieces)

    @Test("Text becomes tokens that spell it", arguments: ["hello", "Grüße an 東京!", "a b  c\nd"])
    func roundTrip(text: String) throws {
        let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(try pieces.text(pieces.tokens(text)) == " " + words)
        #expect(try pieces.tokens(text).count < text.utf8.count + 4)
    }

    @Test("Text of blanks alone gives no tokens, and the pair that spells the token of the lowest number merges first")
    func merging() throws {
        #expect(try pieces.tokens("").isEmpty && pieces.tokens(" \n\t").isEmpty)
        // "b" and "c" make a token of a lower number than " a" and "b" do.
        let small = TextPieces([" ", "a", "b", "c", "bc", " a", " ab"].map { Array($0.utf8) })
        #expect(try small.tokens("abc") == [5, 4])
        #expect(try small.tokens("ab") == [6])
    }

    @Test("Words end where the next begins with a space, and characters where no spaces are written")
    func words() throws {
        let tokens = try pieces.tokens("Grüße 東京")
        #expect(pieces.wordEnds(tokens, language: "de").count == 2)
        #expect(pieces.wordEnds(tokens, language: "de").last == tokens.count)
        let japanese = try pieces.tokens("東京")
        #expect(
            pieces.wordEnds(japanese, language: "ja").count == 2 || pieces.wordEnds(japanese, language: "ja").count == 3
        )
    }

    @Test("Marks of punctuation are no words of their own, also where no spaces are written")
    func punctuation() {
        let pieces = TextPieces(["東", "。", "“", "京", "”", "！"].map { Array($0.utf8) })
        #expect(pieces.wordEnds([0, 1, 2, 3, 4, 5, 0], language: "ja") == [2, 6, 7])
        #expect(pieces.wordEnds([1, 0, 2], language: "ja") == [1, 2, 3])
    }

    @Test("Words end also behind bytes that are no text, and the last one with the tokens")
    func brokenWords() {
        let broken = TextPieces([[0xC3], Array("a".utf8), Array(" b".utf8)])
        #expect(broken.wordEnds([0, 1, 2, 1], language: "en") == [2, 4])
        #expect(broken.wordEnds([1, 0, 2, 0], language: "ja") == [1, 2, 3, 4])
    }

    @Test("Numbers beyond the text give none") func controls() { #expect(pieces.text([50_257, -1, 60_000]) == "") }

    @Test("What begins remarks is suppressed, and so are control tokens, but not the end")
    func suppressed() {
        let tokens = WhisperTokens(vocabularySize: 51_864)
        let ids = Set(SuppressedTokens.ids(pieces: TinyWhisper.pieces, tokens: tokens, declared: nil))
        for text in ["[", "(", "*"] { #expect(pieces.ids(spelled: text).allSatisfy(ids.contains)) }
        #expect(!ids.contains(tokens.endOfText) && ids.contains(tokens.noSpeech) && ids.contains(tokens.start))
        #expect(pieces.ids(spelled: "a").allSatisfy { !ids.contains($0) })
        #expect(SuppressedTokens.ids(pieces: TinyWhisper.pieces, tokens: tokens, declared: [77, 60_000]).contains(77))
    }
}
