// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyJSON
import ParleyTesting
import Testing

@Suite("parley tokenize")
struct TokenizeCommandTests {
    private let parley: ParleyProcess

    init() throws {
        parley = try ParleyProcess()
        // The weights are not needed, and that is part of what is tested.
        var writer = TinyModel().writer()
        writer.tensors = []
        try writer.write(to: parley.directory.appending(path: "vocabulary.gguf"))
    }

    @Test("a file becomes an array of ids, without a beginning-of-text token")
    func file() async throws {
        try parley.write("hello", to: "text")
        let ids = try JSONValue(parsing: try await parley.run("tokenize", "vocabulary.gguf", "--file", "text").text)
        #expect(ids.array?.count == 1)
    }

    @Test("a batch becomes an array of arrays")
    func batch() async throws {
        try parley.write(#"["hello", "", "hello hello"]"#, to: "batch.json")
        let ids = try JSONValue(
            parsing: try await parley.run("tokenize", "vocabulary.gguf", "--batch", "batch.json").text)
        #expect(ids.array?.map { $0.array?.count ?? -1 } == [1, 0, 3])
    }

    @Test("control tokens are text unless --special is given")
    func special() async throws {
        try parley.write("<|im_end|>", to: "text")
        let plain = try await parley.run("tokenize", "vocabulary.gguf", "--file", "text").text
        #expect(try JSONValue(parsing: plain).array?.contains(2) == false)
        #expect(try await parley.run("tokenize", "vocabulary.gguf", "--file", "text", "--special").text == "[2]\n")
    }

    @Test("any bytes can be tokenised; what is not UTF-8 counts as replacement characters")
    func bytes() async throws {
        try Data([0xff, 0xfe, 0x00, 0x80]).write(to: parley.directory.appending(path: "bytes"))
        try parley.write("\u{fffd}\u{fffd}\0\u{fffd}", to: "text")
        let bytes = try await parley.run("tokenize", "vocabulary.gguf", "--file", "bytes")
        #expect(bytes.status == 0)
        #expect(try await parley.run("tokenize", "vocabulary.gguf", "--file", "text").text == bytes.text)
    }

    @Test("anything but an array of strings is an error", arguments: ["{}", "[1]", "[", "\"a\""])
    func badBatch(json: String) async throws {
        try parley.write(json, to: "batch.json")
        let outcome = try await parley.run("tokenize", "vocabulary.gguf", "--batch", "batch.json")
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("batch.json"))
        #expect(outcome.output.isEmpty)
    }
}
