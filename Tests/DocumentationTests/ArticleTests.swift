// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite("Articles")
struct ArticleTests {
    private static let here = URL(filePath: #filePath).deletingLastPathComponent()
    private static let package = here.appending(path: "../..").standardized

    static let articles: [String] = {
        let catalog = "Sources/Parley/Parley.docc"
        let names = try? FileManager.default.contentsOfDirectory(atPath: package.appending(path: catalog).path)
        return ["README.md"] + (names ?? []).filter { $0.hasSuffix(".md") }.sorted().map { "\(catalog)/\($0)" }
    }()

    /// Every line of the snippets, which are compiled with this test.
    private static func compiledLines() throws -> [String] {
        let folder = here.appending(path: "Snippets")
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).flatMap { name in
            lines(of: try String(contentsOf: folder.appending(path: name), encoding: .utf8))
        }
    }

    /// The lines without white space around them: a snippet stands deeper in than the example in an article.
    private static func lines(of text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { $0.trimmingCharacters(in: .whitespaces) }
    }

    /// The Swift examples of an article, each with the number of the line in which it begins. Manifests are left out:
    /// `scripts/check-getting-started` builds with them.
    static func examples(in article: String) -> [(number: Int, lines: [String])] {
        var examples: [(number: Int, lines: [String])] = []
        var isInside = false
        for (index, line) in lines(of: article).enumerated() {
            if line == "```swift" {
                isInside = true
                examples.append((index + 1, []))
            } else if line.hasPrefix("```") {
                isInside = false
            } else if isInside {
                examples[examples.count - 1].lines.append(line)
            }
        }
        return examples.filter { $0.lines.first?.hasPrefix("// swift-tools-version") != true }
    }

    /// An example without what a program begins with: comments and imports stand once in a snippet's file.
    static func body(_ example: [String]) -> ArraySlice<String> {
        example.drop { $0.isEmpty || $0.hasPrefix("//") || $0.hasPrefix("import ") }
    }

    @Test("Every example is compiled, word for word", arguments: articles)
    func examples(article: String) throws {
        let text = try String(contentsOf: Self.package.appending(path: article), encoding: .utf8)
        let compiled = try Self.compiledLines()
        for example in Self.examples(in: text) {
            let body = Self.body(example.lines)
            let isCompiled = compiled.indices.contains { compiled[$0...].starts(with: body) }
            #expect(!body.isEmpty && isCompiled, "\(article):\(example.number): no snippet holds this example")
        }
    }

    @Test("Every article is found, and examples in them")
    func found() throws {
        #expect(Self.articles.count > 5)
        let text = try String(contentsOf: Self.package.appending(path: "README.md"), encoding: .utf8)
        #expect(!Self.examples(in: text).isEmpty)
    }
}
