// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyJSON
import ParleyTesting
import Testing

@Suite("parley info")
struct InfoCommandTests {
    @Test("it tells architecture, sizes, context, memory and template")
    func text() async throws {
        let parley = try ParleyProcess()
        try parley.writeModel()
        let outcome = try await parley.run("info", "tiny.gguf")
        #expect(outcome.status == 0)
        for text in ["llama", "Tiny random model", "512 tokens of context", "weights", "cache", "--template"] {
            #expect(outcome.text.contains(text))
        }
    }

    @Test("--json adds the memory up")
    func json() async throws {
        let parley = try ParleyProcess()
        try parley.writeModel()
        let value = try JSONValue(parsing: try await parley.run("info", "tiny.gguf", "--json", "--context", "64").text)
        let memory = try #require(value["memory"])
        let terms = ["weights", "cache", "scratch", "program"].compactMap { memory[$0]?.integer }
        #expect(terms.count == 4)
        #expect(memory["total"]?.integer == terms.reduce(0, +))
        #expect(memory["context"] == 64)
        #expect(value["architecture"] == "llama")
    }

    @Test("--template prints exactly the template")
    func template() async throws {
        let parley = try ParleyProcess()
        try parley.writeModel()
        #expect(try await parley.run("info", "tiny.gguf", "--template").text == TinyTokenizer.chatTemplate)
    }

    @Test("a file without weights can be looked at, and says why it does not run")
    func vocabularyOnly() async throws {
        let parley = try ParleyProcess()
        var writer = TinyModel().writer()
        writer.tensors = []
        try writer.write(to: parley.directory.appending(path: "vocabulary.gguf"))
        let outcome = try await parley.run("info", "vocabulary.gguf")
        #expect(outcome.status == 0)
        #expect(outcome.text.contains("vocabulary"))
    }
}
