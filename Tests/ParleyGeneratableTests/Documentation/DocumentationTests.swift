// SPDX-License-Identifier: Apache-2.0

import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite("Documentation")
struct DocumentationTests {
    /// The lines between the fences of each example in a source file.
    static func examples(in source: String) -> [[String]] {
        var examples: [[String]] = []
        var example: [String]?
        for line in source.split(separator: "\n", omittingEmptySubsequences: false) {
            let text = line.drop { $0 == " " }
            guard text.hasPrefix("///") else { continue }
            if text == "/// ```swift" {
                example = []
            } else if text == "/// ```", let lines = example {
                examples.append(lines)
                example = nil
            } else {
                example?.append(String(text.dropFirst(3)).filter { $0 != " " })
            }
        }
        return examples
    }

    @Test("Every example is compiled", arguments: ["ParleyGeneratable"])
    func examples(folder: String) throws {
        let here = URL(filePath: #filePath).deletingLastPathComponent()
        let compiled = try String(contentsOf: here.appending(path: "Examples.swift"), encoding: .utf8)
            .filter { $0 != " " }
        let root = here.appending(path: "../../../Sources/\(folder)").path
        var count = 0
        for path in try FileManager.default.subpathsOfDirectory(atPath: root) where path.hasSuffix(".swift") {
            let source = try String(contentsOf: URL(filePath: "\(root)/\(path)"), encoding: .utf8)
            for example in Self.examples(in: source) {
                count += 1
                let isCompiled = compiled.contains(example.joined(separator: "\n"))
                #expect(isCompiled, "The example in \(path) is not in Examples.swift.")
            }
        }
        #expect(count > 5)
    }
}
