// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyActions
import ParleyRuntime

/// Damaged pages. Their text has no more characters than the limit, and is the same each time.
struct MarkupFuzz: FuzzSubject {
    static let name = "markup"

    private static let pieces = [
        "<", ">", "</", "/>", "<!--", "-->", "<![CDATA[", "]]>", "<!doctype", "<script>", "</script", "<style>", "<p>",
        "<li>",
        "<ol start=99999999999999999999>", "<table>", "<tr>", "<td colspan=9>", "<a href=\"", "\">", "javascript:x",
        "<pre>",
        "<blockquote>", "<title>", "&amp;", "&#x110000;", "&#0;", "&notanentity", "&", ";", "=", "'", "\"", "\u{0}",
        "é",
        "`", "*", "_", "[", "]", "(", ")", "|", "#", "\n", "  ", "<b><i>", "</b></i>", "<h1>", "<img alt=", "<br>",
        "\u{301}",
        "<div hidden>", "aria-hidden=true", "<![", "<?", "<textarea>", "<template>",
    ].map { Array($0.utf8) }
    private static let seeds = [
        "<html><head><title>A &amp; B</title></head><body><h1>Head</h1><p>One <b>two</b> <a href='/x?y=1'>link</a><ul><li>a"
            + "<li>b</ul><table><tr><th>x<td>y</table><pre>code\n  more</pre><script>no()</script></body></html>",
        "plain text with <i>some</i> &lt;markup&gt;", "<blockquote><p>q<blockquote>r</blockquote></blockquote>",
    ].map { Array($0.utf8) }

    func run(_ random: inout SplitMix64) throws {
        var bytes = random.mutated(random.pick(Self.seeds), changes: 20, with: Self.pieces)
        if random.oneIn(100) {
            let piece = random.pick(Self.pieces)
            bytes += (0..<random.int(100...20_000)).flatMap { _ in piece }
        }
        let text = String(decoding: bytes, as: UTF8.self)
        let limit = random.pick([0, 1, 10, 1_000, 100_000])
        let base = URL(string: "https://example.org/a/b")
        let page = HTMLMarkdown.convert(text, base: random.oneIn(4) ? nil : base, limit: limit)
        guard page.text.count <= limit else { throw FuzzFailure("\(page.text.count) characters, not \(limit).") }
        guard
            HTMLMarkdown.convert(text, base: base, limit: 1_000) == HTMLMarkdown.convert(text, base: base, limit: 1_000)
        else { throw FuzzFailure("A page is converted differently the second time.") }
    }
}
