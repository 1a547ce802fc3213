// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyJSON
import ParleyMarkdown
import ParleyTestSupport
import Testing

@Suite("Markdown beside the reference parsers")
struct CommonMarkTests {
    private func cases(in file: URL) throws -> [(markdown: String, html: String)] {
        try #require(try JSONValue(parsing: try Data(contentsOf: file)).array).map { value in
            (try #require(value[0]?.string), try #require(value[1]?.string))
        }
    }

    @Test(
        "All examples of CommonMark 0.31.2 come out as it says, but for bare addresses, which are links here",
        .enabled(if: References.has("markdown/commonmark.json"), References.hint))
    func examples() throws {
        let examples = try cases(in: References.url("markdown/commonmark.json"))
        #expect(examples.count == 652)
        var others: [String] = []
        for (markdown, html) in examples where HTMLForm.text(MarkdownReader.blocks(of: markdown)) != html {
            others.append(markdown)
        }
        #expect(
            Set(others) == [
                "< https://foo.bar >\n", "https://example.com\n", "foo@bar.example.com\n",
                "<https://foo.bar/baz bim>\n",
            ])
    }

    @Test("Generated texts with tables, tasks and addresses come out as from GitHub's parser")
    func generated() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Goldens/gfm.json")
        for (markdown, html) in try cases(in: file) {
            #expect(HTMLForm.text(MarkdownReader.blocks(of: markdown)) == html, "\(markdown)")
        }
    }
}
