// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite("Examples of the documentation")
struct ExampleTests {
    private static let here = URL(filePath: #filePath).deletingLastPathComponent()
    private static let package = here.appending(path: "../..").standardized

    /// The files that hold examples: the README, the articles, and sources whose comments have some.
    static let documents: [String] = {
        let sources = try? FileManager.default.subpathsOfDirectory(atPath: package.appending(path: "Sources").path)
        let candidates = (sources ?? []).filter { $0.hasSuffix(".md") || $0.hasSuffix(".swift") }
            .sorted().map { "Sources/\($0)" }
        return ["README.md"] + candidates.filter { path in (try? examples(in: text(of: path)))?.isEmpty == false }
    }()

    private static func text(of document: String) throws -> String {
        try String(contentsOf: package.appending(path: document), encoding: .utf8)
    }

    /// Every line of the snippets, which are compiled with this test.
    private static func compiledLines() throws -> [String] {
        let folder = here.appending(path: "Snippets")
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).flatMap { name in
            lines(of: try String(contentsOf: folder.appending(path: name), encoding: .utf8))
        }
    }

    /// The lines without leading and trailing white space (snippets are indented more than the examples in documents)
    /// and without comment markers.
    private static func lines(of text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let line = line.trimmingCharacters(in: .whitespaces)
            return line.hasPrefix("///") ? line.dropFirst(3).trimmingCharacters(in: .whitespaces) : line
        }
    }

    /// The Swift examples of a document, each with the number of the line in which it begins. Manifests are left out:
    /// `scripts/check-getting-started` builds with them.
    static func examples(in document: String) -> [(number: Int, lines: [String])] {
        var examples: [(number: Int, lines: [String])] = []
        var isInside = false
        for (index, line) in lines(of: document).enumerated() {
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

    /// An example without its leading comments and imports, which a snippet file has only once.
    static func body(_ example: [String]) -> ArraySlice<String> {
        example.drop { $0.isEmpty || $0.hasPrefix("//") || $0.hasPrefix("import ") }
    }

    @Test("Every example is compiled, word for word", arguments: documents)
    func examples(document: String) throws {
        let compiled = try Self.compiledLines()
        for example in Self.examples(in: try Self.text(of: document)) {
            let body = Self.body(example.lines)
            let isCompiled = compiled.indices.contains { compiled[$0...].starts(with: body) }
            #expect(!body.isEmpty && isCompiled, "\(document):\(example.number): no snippet holds this example")
        }
    }

    @Test("Documents of every kind are found")
    func found() throws {
        #expect(!Self.examples(in: try Self.text(of: "README.md")).isEmpty)
        #expect(Self.documents.count { $0.hasSuffix(".md") } > 4)
        #expect(Self.documents.count { $0.hasSuffix(".swift") } > 30)
    }
}
