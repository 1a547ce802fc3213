// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyJSON
import ParleyTesting
import Testing

@Suite("parley embed")
struct EmbedCommandTests {
    private let parley: ParleyProcess

    init() throws {
        parley = try ParleyProcess()
        try parley.writeModel(TinyModel(.bert))
    }

    private func vectors(_ text: String) -> [[Float]] {
        text.split(separator: "\n").map { $0.split(separator: " ").compactMap { Float($0) } }
    }

    @Test("texts become lines of numbers, from arguments, a file or standard input")
    func sources() async throws {
        let outcome = try await parley.run("embed", "tiny.gguf", "hello", "the world")
        #expect(outcome.status == 0 && outcome.errors.isEmpty)
        let vectors = vectors(outcome.text)
        #expect(vectors.map(\.count) == [64, 64])
        #expect(vectors.allSatisfy { abs($0.reduce(0) { $0 + $1 * $1 } - 1) < 1e-4 })
        let lines = "hello\n\n  \nthe world\n"
        #expect(try await parley.run("embed", "tiny.gguf", input: lines).text == outcome.text)
        try parley.write(lines, to: "lines.txt")
        #expect(try await parley.run("embed", "tiny.gguf", "--file", "lines.txt").text == outcome.text)
    }

    @Test("base64 and JSON have the same vectors")
    func forms() async throws {
        let plain = vectors(try await parley.run("embed", "tiny.gguf", "hello").text)
        let coded = try await parley.run("embed", "tiny.gguf", "hello", "--base64").text
        let bytes = try #require(Data(base64Encoded: coded.trimmingCharacters(in: .whitespacesAndNewlines)))
        let floats = stride(from: 0, to: bytes.count, by: 4).map { offset in
            Float(bitPattern: (0..<4).reduce(0) { $0 | UInt32(bytes[offset + $1]) << (8 * UInt32($1)) })
        }
        #expect(floats == plain[0])
        let json = try JSONValue(parsing: try await parley.run("embed", "tiny.gguf", "hello", "--json").text)
        #expect(json["model"] == "tiny.gguf" && json["dimensions"] == 64)
        let one = try #require(json["embeddings"]?.array?.first)
        #expect(one["tokens"] == 3 && one["truncated"] == false)
        #expect(one["embedding"]?.array?.compactMap { $0.number.map { Float($0) } } == floats)
        let both = try JSONValue(
            parsing: try await parley.run("embed", "tiny.gguf", "hello", "--json", "--base64").text)
        #expect(both["embeddings"]?.array?.first?["embedding"]?.string.map { $0 + "\n" } == coded)
    }

    @Test("a text that is too long is an error with its length, or cut with --truncate")
    func longTexts() async throws {
        try parley.write(String(repeating: "a ", count: 600), to: "long.txt")
        let refused = try await parley.run("embed", "tiny.gguf", "--file", "long.txt")
        #expect(refused.status == 1 && refused.output.isEmpty)
        #expect(refused.errors.contains("602 tokens") && refused.errors.contains("512"))
        let cut = try await parley.run("embed", "tiny.gguf", "--file", "long.txt", "--truncate", "--json")
        let json = try JSONValue(parsing: cut.text)
        #expect(json["embeddings"]?.array?.first?["truncated"] == true)
        #expect(json["embeddings"]?.array?.first?["tokens"] == 512)
    }

    @Test("no text, a model that writes, and chatting with an encoder are errors that say what to do")
    func mistakes() async throws {
        let empty = try await parley.run("embed", "tiny.gguf", input: "\n")
        #expect(empty.status == 1 && empty.errors.contains("no text"))
        try parley.writeModel(TinyModel(.llama), to: "llama.gguf")
        let writes = try await parley.run("embed", "llama.gguf", "hello")
        #expect(writes.status == 1 && writes.errors.contains("makes no embeddings"))
        let chats = try await parley.run("run", "tiny.gguf", "hello")
        #expect(chats.status == 1 && chats.errors.contains("parley embed"))
    }

    @Test("an encoder is imported, listed, described and found like any model")
    func library() async throws {
        #expect(try await parley.run("models", "import", "tiny.gguf", "--name", "minilm").status == 0)
        #expect(try await parley.run("models", "list").text.contains("minilm"))
        let info = try await parley.run("info", "minilm")
        #expect(info.status == 0 && info.text.contains("bert") && info.text.contains("embeddings"))
        #expect(!info.text.contains("cannot run") && !info.text.contains("ChatML"))
        #expect(try await parley.run("models", "fit", "minilm").status == 0)
        #expect(try await parley.run("embed", "minilm", "hello").status == 0)
    }
}
