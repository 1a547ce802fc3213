// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyJSON
import ParleyModelFile
import ParleyTesting
import Testing

@Suite("parley info")
struct InfoCommandTests {
    @Test("it shows architecture, sizes, context, memory and template")
    func text() async throws {
        let parley = try ParleyProcess()
        try parley.writeModel()
        let outcome = try await parley.run("info", "tiny.gguf")
        #expect(outcome.status == 0)
        for text in ["llama", "Tiny random model", "512 tokens of context", "weights", "cache", "--template"] {
            #expect(outcome.text.contains(text))
        }
    }

    @Test("the total memory in the JSON output is the sum of its terms")
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

    @Test("a file without weights can be described, with the reason why it cannot run")
    func vocabularyOnly() async throws {
        let parley = try ParleyProcess()
        var writer = TinyModel().writer()
        writer.tensors = []
        try writer.write(to: parley.directory.appending(path: "vocabulary.gguf"))
        let outcome = try await parley.run("info", "vocabulary.gguf")
        #expect(outcome.status == 0)
        #expect(outcome.text.contains("vocabulary"))
    }

    @Test("tensors of more elements than there are numbers are refused", arguments: [1 << 50, 1 << 62])
    func manyElements(dimension: Int) async throws {
        let parley = try ParleyProcess()
        var writer = TinyModel().writer()
        let count = dimension > 1 << 50 ? 3 : 9_000
        writer.tensors = (0..<count).map { .init(name: "\($0)", typeCode: 99, dimensions: [dimension], bytes: [0]) }
        try writer.write(to: parley.directory.appending(path: "big.gguf"))
        let outcome = try await parley.run("info", "big.gguf")
        #expect(outcome.status == (dimension > 1 << 50 ? 1 : 0))
        #expect((outcome.text + outcome.errors).contains(dimension > 1 << 50 ? "more elements" : "cannot run"))
    }

    #if os(Linux)
        @Test("texts and arrays as long as a disk cost no memory", arguments: ["name", "heads", "template", "tokens"])
        func longValues(what: String) async throws {
            let parley = try ParleyProcess()
            let url = parley.directory.appending(path: "long.gguf")
            // The value is a hole at the end of a sparse file, which takes up no space.
            let length = 200 << 20
            var header = GGUFWriter()
            header.metadata = TinyModel().writer().metadata.filter { !$0.key.contains("head_count_kv") }
            switch what {
            case "name":
                header.metadata.removeAll { $0.key == "general.name" }
                header.metadata.append(.init("general.name", .string("")))
            case "heads": header.metadata.append(.init("llama.attention.head_count_kv", .array(.uint8, [])))
            case "template":
                header.metadata.removeAll { $0.key == "tokenizer.chat_template" }
                header.metadata.append(.init("tokenizer.chat_template", .string("")))
            default:
                header.metadata.removeAll { $0.key == "tokenizer.ggml.tokens" }
                header.metadata.append(.init("tokenizer.ggml.tokens", .strings([])))
            }
            let (encoded, fields) = header.encodedWithFields()
            // The length of the last value, which is empty, ends the metadata.
            let count = UInt64(what == "tokens" ? length / 8 : length).littleEndian
            let bytes = encoded[..<(fields.last?.lowerBound ?? 0)] + withUnsafeBytes(of: count) { Array($0) }
            try Data(bytes).write(to: url)
            let handle = try FileHandle(forWritingTo: url)
            try handle.truncate(atOffset: UInt64(bytes.count + length + 64))
            try handle.close()
            // The file is mapped; 300 MB are left for everything else.
            let outcome = try await parley.run(script: "ulimit -v 700000; $PARLEY info --json long.gguf")
            let isShown = ["name", "heads"].contains(what)
            #expect(outcome.status == (isShown ? 0 : 1), "\(outcome.errors)")
            #expect(outcome.text.hasPrefix("{") == isShown)
            #expect(outcome.errors.contains("The file is damaged") != isShown)
        }
    #endif
}
