// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyMarkdown
import Testing

@Suite("MarkdownReader")
struct MarkdownReaderTests {
    private static let reply = """
        # A *reply*

        Some text with `code`, **strong _and_ emphasised** words,\r
        a [link](https://example.org/a_(b) "title") and a [label][r].

        1. one
           - [x] done
           - [ ] open

           more

        2. two

        ```swift
        let a = 1

        let b = 2
        ```

        | a | b |
        |:--|--:|
        | 1 | ~~2~~ |

        So \\(a_1\\) and \\[ b = 2 \\] and
        \\[
        - x_1 * y_1

        \\] and $$
        z $$ rest

        > quoted
        lazy
        ***
        [r]: /later
        <div>text</div>
        """

    /// What the blocks are, without their numbers.
    private func kinds(_ blocks: [MarkdownBlock]) -> String { HTMLForm.text(blocks) }

    @Test("However a text is cut, the blocks are the same, and those that are settled stay until the end")
    func cutting() throws {
        let whole = MarkdownReader.blocks(of: Self.reply)
        #expect(whole.count == 11)
        let scalars = Array(Self.reply.unicodeScalars)
        for size in [1, 2, 3, 7, 50] {
            var reader = MarkdownReader()
            var settled: [MarkdownBlock] = []
            for start in stride(from: 0, to: scalars.count, by: size) {
                let piece = scalars[start..<min(start + size, scalars.count)]
                reader.append(String(String.UnicodeScalarView(piece)))
                #expect(Array(reader.settled.prefix(settled.count)) == settled)
                settled = reader.settled
            }
            reader.finish()
            #expect(reader.settled == whole && reader.tail.isEmpty)
        }
    }

    @Test("At every moment the settled blocks and the tail are what the text so far would be, but for labels")
    func growing() {
        let text = Self.reply.replacing("[label][r]", with: "label").replacing("[r]: /later", with: "x")
        var reader = MarkdownReader()
        var sofar = ""
        for character in text {
            reader.append(String(character))
            sofar.append(character)
            #expect(kinds(reader.settled + reader.tail) == kinds(MarkdownReader.blocks(of: sofar)), "\(sofar)")
        }
    }

    @Test("A label that is defined later makes a link at the end, in the block that had it")
    func laterLabel() throws {
        var reader = MarkdownReader()
        reader.append("See [here].\n\n- [x] and [here]\n\nEnd.\n\n[here]: https://example.org\n")
        #expect(kinds(reader.settled).contains("<p>See [here].</p>"))
        reader.finish()
        #expect(kinds(reader.settled).contains("<p>See <a href=\"https://example.org\">here</a>.</p>"))
        #expect(reader.settled.count == 3 && Set(reader.settled.map(\.id)).count == 3)
    }

    @Test("A table needs as many cells as its header; rows get or lose cells, and text above it is a paragraph")
    func table() throws {
        let blocks = MarkdownReader.blocks(of: "text\na | b\n- | :-:\n1\n2 | 3 | 4\n\\| `\\|` | x\n\nafter")
        #expect(blocks.count == 3)
        guard case .table(let table) = try #require(blocks.dropFirst().first).kind else {
            Issue.record("\(blocks)")
            return
        }
        #expect(table.alignments == [nil, .center] && table.header == [[.text("a")], [.text("b")]])
        #expect(
            table.rows == [
                [[.text("1")], []], [[.text("2")], [.text("3")]], [[.text("| "), .code("|")], [.text("x")]],
            ])
        #expect(kinds(MarkdownReader.blocks(of: "a | b\n|-|\n")) == "<p>a | b\n|-|</p>\n")
    }

    @Test("HTML stays text of its own kind, and no address is loaded or changed")
    func html() {
        let blocks = MarkdownReader.blocks(of: "<script>\nalert(1)\n</script>\n\na <b onclick=x> ![i](javascript:x)")
        #expect(blocks.first?.kind == .html("<script>\nalert(1)\n</script>"))
        #expect(
            blocks.last?.kind
                == .paragraph([
                    .text("a "), .html("<b onclick=x>"), .text(" "),
                    .image(source: "javascript:x", title: nil, [.text("i")]),
                ]))
    }

    /// Texts on which parsers have taken quadratic time or their whole stack.
    private static let attacks = [
        "[", "]", "![", "[a](", "[a](<b", "[a](b \"", "*", "*a ", "**a **a", "_a __b ", "a**b", "~~a ~", "`", "`a``b",
        "<",
        "<a ", "<a b=\"", "<!--", "<?", "<![CDATA[", "<!A", "&", "&#", "&a", "\\", ">", "> ", "- ", "1. ", "- > ", "\t",
        "#",
        "|", "|-", "a|b\n-|-\n", "[a]: b\n", "[a]: b \"\n", "x\n=\n", "- a\n", "* a\n\n  ", "http://a", "www.a.b(",
        "a@b.c ",
        "a.", "a_", "[a][b", "[a] ", "![a](b)", "***a", "*a_b", "<div>\n", "```\n", "|a|\n|-|-|\n", "\u{0}", "é*",
        "  \n",
        "\\(", "\\(a", "\\[", "\\[=", "\\[\n", "$", "$$", "$$ ", "$$$", "$$a\n", "$$ b\nx $$\n", "\\(a\\)", "a\n$$\n",
        "x\n\n[a]: b\n\n", "(((", "))) http://a.b/)", "&amp;",
    ]

    @Test("Hostile texts of 200,000 bytes are read in linear time and bounded depth", arguments: attacks)
    func hostile(_ piece: String) {
        let text = String(repeating: piece, count: 200_000 / piece.utf8.count)
        let blocks = MarkdownReader.blocks(of: text)
        #expect(depth(of: blocks) <= 101)
        // And the other way round, so that what closes comes after what opens.
        _ = MarkdownReader.blocks(of: text + String(repeating: "]", count: 1_000) + "](x)*_~`\"'-->")
    }

    @Test(
        "So are those whose beginnings come before all of their ends, of 2,000,000 bytes", .timeLimit(.minutes(15)),
        arguments: [("www.a_", ""), ("![", "[a](b) "), ("![", "](b)"), ("[", "](b)"), ("*a **a ", " a** a*")])
    func halves(_ opening: String, _ closing: String) {
        let count = 2_000_000 / (opening + closing).utf8.count
        let text = String(repeating: opening, count: count) + "x" + String(repeating: closing, count: count)
        #expect(MarkdownReader.blocks(of: text).count == 1)
    }

    @Test("There are no links in links, but links in images and behind such links; a host has at most 512 bytes")
    func links() {
        let html = kinds(MarkdownReader.blocks(of: "[a ![b](c) [d](e) f](g) [h](i) ![j [k](l)](m)"))
        for part in ["<a href=\"e\">d</a> f](g)", "<a href=\"i\">h</a>", "alt=\"j k\""] {
            #expect(html.contains(part), "\(html)")
        }
        let name = String(repeating: "a.", count: 250)
        #expect(kinds(MarkdownReader.blocks(of: "http://\(name)org")).contains("<a href"))
        #expect(!kinds(MarkdownReader.blocks(of: "http://\(name)\(name)org")).contains("<a href"))
        // Marks that blanks do not follow end it too.
        let sentence = String(repeating: "后", count: 200)
        for mark in ["。", "、", "！"] {
            #expect(kinds(MarkdownReader.blocks(of: "http://a.org\(mark)\(sentence)")).contains("<a href"))
        }
    }

    @Test(
        "Formulas between the marks of TeX come out as they are, in a line or displayed",
        arguments: [
            (#"\(x_1*y_1 [z](u) < \frac{a}{b}\)."#, #"<p><m>x_1*y_1 [z](u) &lt; \frac{a}{b}</m>.</p>"#),
            ("**\\(a\nb\\)**", "<p><strong><m>a b</m></strong></p>"),
            (
                #"\[ x = \left[ \begin{array}{c} a_1 \\[2pt] b_1 \end{array} \right] \]"#,
                #"<math>x = \left[ \begin{array}{c} a_1 \\[2pt] b_1 \end{array} \right]</math>"#
            ),
            ("The area is \\[ A = r^2 \\] here.", "<p>The area is <math>A = r^2</math> here.</p>"),
            (
                "so\n\\[\n- a_1\n+ b_1\n= c\n\n# d\n\\]\nand",
                "<p>so</p>\n<math>- a_1\n+ b_1\n= c\n\n# d</math>\n<p>and</p>"
            ),
            ("$$x_1 = 2$$", "<math>x_1 = 2</math>"),
            ("a $$x$$ b $$ x^2 $$", "<p>a <math>x</math> b <math>x^2</math></p>"),
            ("$$\nx_1\n$$", "<math>x_1</math>"),
            ("so $$x = 1\n$$ and\n- b", "<p>so <math>x = 1</math> and</p>\n<ul>\n<li>b</li>\n</ul>"),
            ("\\[ a\n= b\n---\n\\], where", "<math>a\n= b\n---</math>\n<p>, where</p>"),
            ("- so\n  $$\n  a\n  $$\n- b", "<ul>\n<li>so\n<math>a</math>\n</li>\n<li>b</li>\n</ul>"),
            ("> $$\n> a\n\nb", "<blockquote>\n<math>a</math>\n</blockquote>\n<p>b</p>"),
            ("| \\(a_1\\) |\n|-|", "<table>\n<thead>\n<tr>\n<th><m>a_1</m></th>\n</tr>\n</thead>\n</table>"),
        ])
    func formula(_ text: String, _ form: String) {
        #expect(kinds(MarkdownReader.blocks(of: text)) == form + "\n")
    }

    @Test(
        "Escaped brackets, prices and what has no end are text as before",
        arguments: [
            (#"\[edit\] \[1\] \(\) \(,\)"#, "<p>[edit] [1] () (,)</p>"),
            (#"\\(a\\) `\(a\)`"#, #"<p>\(a\) <code>\(a\)</code></p>"#),
            ("$$ or $$$, $5 and $6, $$", "<p>$$ or $$$, $5 and $6, $$</p>"), (#"\(a \(b"#, "<p>(a (b</p>"),
            ("\\[note] *a*\n- b", "<p>[note] <em>a</em></p>\n<ul>\n<li>b</li>\n</ul>"),
            ("$$x\n*a*\n\n*b*", "<p>$$x\n<em>a</em></p>\n<p><em>b</em></p>"),
            (#"[a \[b\]](c)"#, #"<p><a href="c">a [b]</a></p>"#),
        ])
    func noFormula(_ text: String, _ form: String) {
        #expect(kinds(MarkdownReader.blocks(of: text)) == form + "\n")
    }

    @Test("Marks that would lie too deep are text")
    func depth() {
        let text = String(repeating: "*a _b ", count: 2_000) + "c" + String(repeating: " b_ a*", count: 2_000)
        let html = kinds(MarkdownReader.blocks(of: text))
        #expect(html.contains("<em>") && html.components(separatedBy: "<em>").count <= 70)
        let links = String(repeating: "![", count: 2_000) + "a" + String(repeating: "](b)", count: 2_000)
        #expect(MarkdownReader.blocks(of: links).count == 1)
    }

    @Test("Uses of a definition cannot make a short text a huge one")
    func expansion() {
        let text = "[a]: /" + String(repeating: "x", count: 10_000) + "\n\n" + String(repeating: "[a] ", count: 5_000)
        #expect(kinds(MarkdownReader.blocks(of: text)).utf8.count < 300_000)
    }

    private func depth(of blocks: [MarkdownBlock]) -> Int {
        blocks.map { block in
            switch block.kind {
            case .quote(let inner): 1 + depth(of: inner)
            case .list(let list): 1 + depth(of: list.items.flatMap(\.blocks))
            default: 1
            }
        }.max() ?? 0
    }
}
