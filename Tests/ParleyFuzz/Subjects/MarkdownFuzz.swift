// SPDX-License-Identifier: Apache-2.0

import ParleyMarkdown
import ParleyRuntime

/// Markdown in pieces. However it is cut, the blocks are those of the whole; a block that is settled stays as it is until
/// the end, and no text is lost or made up beyond what marks are worth.
struct MarkdownFuzz: FuzzSubject {
    static let name = "markdown"

    private static let pieces = [
        "\n", "\n\n", "\r\n", "\r", "# ", "###### ", "===", "---", "***", "> ", ">> ", "- ", "* ", "+ ", "1. ", "9) ",
        "- [x] ", "- [ ] ", "    ", "\t", "```", "~~~", "```swift\n", "|", "| a | b |\n", "|---|:-:|\n", "\\|", "*",
        "**",
        "_", "__", "~~", "`", "``", "[", "](", ")", "![", "[a]: /u 'v'\n", "[a]", "[b][]", "<", ">", "<b>", "</b>",
        "<!--",
        "-->", "<https://a.b>", "https://a.b/c?d", "www.a.b", "a@b.c", "&amp;", "&#0;", "&#x110000;", "&", "\\", "\\*",
        "word", "two words", "é", "e\u{301}", "日本", "😀", "\u{0}", "\u{FEFF}", "  \n", "\\\n", "$$", "$$x", "$$\n",
        "\\[", "\\]", "\\[\n", "\\( x", "\\)", "<script>", "<div>\n",
    ]

    func run(_ random: inout SplitMix64) throws {
        var text = ""
        for _ in 0..<random.int(1...60) { text += random.pick(Self.pieces) }
        if random.oneIn(50) {
            text += String(repeating: random.pick(Self.pieces), count: random.int(100...5_000))
        }
        let whole = MarkdownReader.blocks(of: text)
        var reader = MarkdownReader()
        var known: [MarkdownBlock] = []
        var scalars = text.unicodeScalars[...]
        while !scalars.isEmpty {
            let piece = scalars.prefix(random.int(1...40))
            scalars = scalars.dropFirst(piece.count)
            reader.append(String(String.UnicodeScalarView(piece)))
            guard reader.settled.starts(with: known) else {
                throw FuzzFailure("A settled block of \(text.debugDescription) changes.")
            }
            known = reader.settled
            // What is behind it can be looked at at any time. A look reads the open block anew, so long ones get fewer.
            if random.oneIn(4 + text.utf8.count / 500) { _ = reader.tail.count }
        }
        reader.finish()
        guard reader.settled == whole else {
            throw FuzzFailure("\(text.debugDescription) has other blocks when it comes in pieces.")
        }
    }
}
