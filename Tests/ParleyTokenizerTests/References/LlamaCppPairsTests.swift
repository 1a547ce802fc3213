// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyModelFile
import ParleyTestSupport
import ParleyTokenizer
import Testing

/// The pairs of text and ids that llama.cpp keeps beside its vocabularies.
@Suite("llama.cpp's own pairs")
struct LlamaCppPairsTests {
    static let directory = References.url("vocabularies")
    static let names = References.names(in: directory, ending: ".gguf.inp").filter { !$0.contains("bert") }

    @Test("Ids are the same", .enabled(if: References.areFetched), arguments: names)
    func ids(name: String) throws {
        let base = String(name.dropLast(".inp".count))
        let texts = try text(base + ".inp").components(separatedBy: "\n__ggml_vocab_test__\n")
        let lines = try text(base + ".out").split(separator: "\n", omittingEmptySubsequences: false)
        let file = try GGUFFile(contentsOf: Self.directory.appendingPathComponent(base))
        let tokenizer = try Tokenizer(file.tokenizerDescription())
        try #require(texts.count > 40 && lines.count >= texts.count)
        for (text, line) in zip(texts, lines) {
            let expected = line.split(separator: " ").compactMap { TokenID($0) }
            #expect(tokenizer.encode(text) == expected, "\(name): \(text)")
        }
    }

    private func text(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: Self.directory.appendingPathComponent(name)), as: UTF8.self)
    }
}
