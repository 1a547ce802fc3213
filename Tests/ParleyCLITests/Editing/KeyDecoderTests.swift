// SPDX-License-Identifier: Apache-2.0

import ParleyCLI
import Testing

@Suite("KeyDecoder")
struct KeyDecoderTests {
    private func keys(_ text: String) -> [Key] {
        keys(Array(text.utf8))
    }

    private func keys(_ bytes: [UInt8]) -> [Key] {
        var decoder = KeyDecoder()
        return bytes.compactMap { decoder.consume($0) }
    }

    @Test("text comes scalar by scalar")
    func text() {
        #expect(keys("aé日🙂") == [.text("a"), .text("é"), .text("日"), .text("🙂")])
    }

    @Test(
        "broken UTF-8 becomes replacement characters and loses no key",
        arguments: [
            ([0xff, 0x61], [Key.text("\u{fffd}"), .text("a")]),
            ([0xc0, 0x80], [.text("\u{fffd}"), .text("\u{fffd}")]),
            ([0xe0, 0x80, 0x80], [.text("\u{fffd}")]),
            ([0xe6, 0x61], [.text("a")]),
        ] as [([UInt8], [Key])])
    func brokenText(bytes: [UInt8], expected: [Key]) {
        #expect(keys(bytes) == expected)
    }

    @Test("a control of two bytes, which begins a sequence on some terminals, is no text")
    func longControls() {
        #expect(keys([0xc2, 0x9b, 0x32, 0xc2, 0x80, 0xc2, 0xa0]) == [.text("2"), .text("\u{a0}")])
    }

    @Test(
        "the keys of common terminals are known",
        arguments: [
            ("\u{1b}[A", Key.up), ("\u{1b}OA", .up), ("\u{1b}[B", .down), ("\u{1b}[C", .right), ("\u{1b}[D", .left),
            ("\u{1b}[H", .home), ("\u{1b}OF", .end), ("\u{1b}[1~", .home), ("\u{1b}[4~", .end), ("\u{1b}[7~", .home),
            ("\u{1b}[3~", .delete), ("\u{1b}[3;5~", .deleteWordRight), ("\u{1b}[1;5C", .wordRight),
            ("\u{1b}[1;3D", .wordLeft), ("\u{1b}[1;2D", .left), ("\u{1b}b", .wordLeft), ("\u{1b}f", .wordRight),
            ("\u{1b}d", .deleteWordRight), ("\u{1b}\u{7f}", .deleteWordLeft), ("\u{1b}\r", .newline), ("\r", .enter),
            ("\u{1}", .home), ("\u{5}", .end), ("\u{b}", .deleteToEnd), ("\u{15}", .deleteToStart),
            ("\u{17}", .deleteWordLeft), ("\u{3}", .interrupt), ("\u{4}", .endOfInput), ("\u{7f}", .backspace),
            ("\u{8}", .backspace), ("\u{c}", .clearScreen), ("\u{1a}", .suspend), ("\u{19}", .yank), ("\t", .tab),
        ])
    func sequences(bytes: String, key: Key) {
        #expect(keys(bytes) == [key])
    }

    @Test(
        "unknown sequences are skipped as a whole",
        arguments: ["\u{1b}[15~", "\u{1b}[?1;2c", "\u{1b}[200;1000000000000000000000000000000R", "\u{1b}OP", "\u{1b}x"])
    func unknownSequences(bytes: String) {
        #expect(keys(bytes + "a") == [.text("a")])
    }

    @Test("a lone escape is forgotten after a pause")
    func loneEscape() {
        var decoder = KeyDecoder()
        #expect(decoder.consume(0x1b) == nil)
        decoder.pause()
        #expect(decoder.consume(UInt8(ascii: "b")) == .text("b"))
    }

    @Test("a paste is one key, with line feeds and without control characters")
    func paste() {
        let keys = keys("\u{1b}[200~one\r\ntwo\u{1b}[2J\u{3}\rthree\u{1b}[201~x")
        #expect(keys == [.paste("one\ntwo[2J\nthree"), .text("x")])
    }

    @Test("pasted text that resembles the end sequence is kept")
    func pasteWithPartialEnd() {
        #expect(keys("\u{1b}[200~a\u{1b}[20\u{1b}[201~") == [.paste("a[20")])
    }

    @Test("a paste without an end does not grow for ever")
    func longPaste() {
        let bytes = Array("\u{1b}[200~".utf8) + [UInt8](repeating: 0x61, count: 1_100_000) + Array("\u{1b}[201~".utf8)
        guard case .paste(let text) = keys(bytes).first else {
            Issue.record("no paste came")
            return
        }
        #expect(text.utf8.count == 1 << 20)
    }
}
