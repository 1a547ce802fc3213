// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyActions
import ParleyTestSupport
import Testing

import struct ParleyRuntime.SplitMix64

@Suite("HTML as Markdown")
struct HTMLMarkdownTests {
    private func text(_ html: String) -> String { HTMLMarkdown.convert(html, base: nil, limit: 100_000).text }

    @Test(
        "Structure survives",
        arguments: [
            ("<h1>A</h1><h3>B</h3><p>c\n  d</p>", "# A\n\n### B\n\nc d"),
            ("<p>a<p>b<br>c", "a\n\nb\nc"),
            ("<p>x<ul><li>a<li>b<ul><li>c</ul></ul><p>d", "x\n\n- a\n- b\n  - c\n\nd"),
            ("<ol start=3><li>a</li><li><p>b</p><p>c</p></li></ol>", "3. a\n4. b\n\n   c"),
            ("<p>see <a href='https://a.org/(x)'>the [page]</a>, ok", "see [the page](https://a.org/%28x%29), ok"),
            ("<a href='javascript:x()'>no</a> <a href='mailto:a@b'>mail</a>", "no mail"),
            ("<a href='http:///x'>no</a> <a href='https:'>host</a>", "no host"),
            ("<pre>a\u{202E}b\u{1B}c</pre>", "```\nabc\n```"),
            ("<table><tr><th>a<th>b|c<tr><td>1<td>2</table>", "| a | b\\|c |\n| --- | --- |\n| 1 | 2 |"),
            ("<table><tr><td>out<table><tr><td>1<td>2</table></table>end", "out\n\n| 1 | 2 |\n| --- | --- |\n\nend"),
            ("<pre><code>a  &lt;b\n  c</code></pre>d <code>e</code>", "```\na  <b\n  c\n```\n\nd `e`"),
            ("<pre>``` x</pre>", "````\n``` x\n````"),
            ("<blockquote><p>a<p>b</blockquote>c", "> a\n\n> b\n\nc"),
            ("a<hr>b<img src=x alt=' cat '>", "a\n\n---\n\nb[image: cat]"),
            ("<dl><dt>a<dd>b<dt>c<dd>d</dl>", "a\n\n: b\n\nc\n\n: d"),
        ])
    func structure(_ html: String, _ markdown: String) {
        #expect(text(html) == markdown)
    }

    @Test(
        "What is no text of the page is left out",
        arguments: [
            "<script>var a = '<p>no</p>'</script>", "<style>no</style>", "<nav>no<p>no</nav>", "<!-- no --",
            "<!--> <!-- no -->",
            "<div hidden>no</div>", "<p style='color:red; display : none'>no</p>", "<span aria-hidden=true>no</span>",
            "<template>no</template>", "<noscript>no</noscript>", "<svg><title>no</title><text>no</text></svg>",
            "<head><title>no</title></head>", "<?php no ?>", "<!doctype no>", "<SCRIPT >no</sCrIpT\n>",
            "<textarea>no</textarea>", "<p>\u{200B}\u{E0041}\u{202E}</p>", "<pre>\u{E0041}</pre>",
            "<p>\u{E0101}\u{E01EF}\u{206A}</p>", "<iframe>no</iframe>",
            "<p style='font-size: 0px'>no</p>", "<p style='font-size:0'>no</p>", "<b style='Font-Size:0.0em;'>no</b>",
        ])
    func left(_ html: String) {
        #expect(text(html + "<p>yes") == (html.hasPrefix("<!-- no --") && !html.contains("-->") ? "" : "yes"))
    }

    @Test(
        "Small letters are not hidden ones, and a picture that closes itself takes nothing with it",
        arguments: [
            "<p style='font-size:0.9em'>yes", "<b style='color:red; font-size: 0.875rem !important'>yes</b>",
            "<div><svg width=1 /><p>yes</div>",
        ])
    func shown(_ html: String) {
        #expect(text(html) == "yes")
    }

    @Test("A menu that is never closed does not take the page with it")
    func unclosed() {
        #expect(text("<div><nav><ul><li>no</div><p>yes") == "yes")
        #expect(text("<nav>no<main>yes</main>") == "yes")
    }

    @Test(
        "Character references are resolved, once",
        arguments: [
            ("&amp;lt; &lt;b&gt; &#65;&#x42;&#67 &eacute;&nbsp;x", "&lt; <b> ABC é x"),
            ("&#0;&#x110000;&#xD800;", "\u{FFFD}\u{FFFD}\u{FFFD}"),
            ("&starf;&CounterClockwiseContourIntegral;&zwnj;&shy;x\u{AD}y", "★∳\u{200C}xy"),
            ("&#150;&#x80;", "–€"), ("&unknown; & &; &# &#x; AT&T", "&unknown; & &; &# &#x; AT&T"),
        ])
    func references(_ html: String, _ plain: String) {
        #expect(text(html) == plain)
    }

    @Test("The text is cut at the limit, and the title at its own")
    func limits() {
        let page = HTMLMarkdown.convert(
            "<title>\(String(repeating: "t", count: 1_000))</title>\(String(repeating: "word ", count: 10_000))",
            base: nil, limit: 100)
        #expect(page.text.count == 100)
        #expect(page.title.count == 200)
        #expect(HTMLMarkdown.convert("<title>a\u{202E}b\n c</title>", base: nil, limit: 9).title == "ab c")
        #expect(page.isCut)
    }

    @Test("Random markup ends, within its limit")
    func fuzz() {
        let parts = [
            "<", ">", "</", "/>", "<!--", "-->", "<![CDATA[", "]]>", "<a href=", "'", "\"", "=", " ", "\n", "&", "&#x",
            ";", "p", "div", "<table>", "<tr>", "<td>", "</table>", "<ul>", "<li>", "</ul>", "<pre>", "</pre>",
            "<code>",
            "<script>", "</script", "<nav>", "<blockquote>", "</blockquote>", "<h2>", "ä", "e\u{301}", "\u{0}", "text",
            "<title>", "<ol start=-9>", "<a href=https://a.org/>", "</a>", "<br>", "<hr>", "`", "|",
        ]
        var random = SplitMix64(seed: 1)
        for _ in 0..<3_000 {
            let count = Int.random(in: 0...80, using: &random)
            let html = (0..<count).map { _ in parts[Int.random(in: parts.indices, using: &random)] }.joined()
            let page = HTMLMarkdown.convert(html, base: URL(string: "https://b.org/"), limit: 50)
            #expect(page.text.count <= 50, "\(html)")
        }
    }

    @Test(
        "Twice the markup takes about twice the time, however it is nested",
        arguments: [
            "<div>", "<li>", "<a href=x>y</a> ", "<a href=x>", "<", "</p>", "<!--", "<table><tr><td>", "<b ", "<b a=\"",
            "&", "&#", "<pre>`", "<nav>", "<ul><li>", "<![CDATA[", "<p hidden>", "</x>", "<script>", "<code>", "x ",
        ])
    func time(_ part: String) {
        func measured(_ count: Int) -> Double {
            let html = String(repeating: part, count: count)
            return (0..<3).map { _ in
                processorSeconds { _ = HTMLMarkdown.convert(html, base: nil, limit: 10_000_000) }
            }.min() ?? 0
        }
        let (small, large) = (measured(10_000), measured(80_000))
        // Eight times the work; a quadratic method would take 64 times as long.
        #expect(large < small * 30 + 0.1, "\(small), \(large)")
    }
}
