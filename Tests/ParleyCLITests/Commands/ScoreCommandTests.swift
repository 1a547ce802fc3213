// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyJSON
import ParleyTesting
import Testing

@Suite("parley score")
struct ScoreCommandTests {
    @Test("probabilities, perplexity, candidates and logits agree")
    func agreement() async throws {
        let parley = try ParleyProcess()
        try parley.writeModel()
        try parley.write("hello world", to: "text")
        let outcome = try await parley.run(
            "score", "tiny.gguf", "--file", "text", "--json", "--top", "3", "--logits", "logits")
        #expect(outcome.status == 0)
        let score = try JSONValue(parsing: outcome.text)
        let tokens = try #require(score["tokens"]?.array).compactMap { $0.integer }
        let logprobs = try #require(score["logprobs"]?.array)
        let top = try #require(score["top"]?.array)
        #expect(logprobs.count == tokens.count)
        #expect(top.count == tokens.count)
        #expect(logprobs.first == .null)
        #expect(top.first == [])
        let known = logprobs.compactMap(\.number)
        let perplexity = exp(-known.reduce(0, +) / Double(known.count))
        #expect(abs((score["perplexity"]?.number ?? 0) - perplexity) < 1e-5 * perplexity)

        for number in known { #expect("\(number)".split(separator: ".").last?.count ?? 0 <= 6) }

        let data = try Data(contentsOf: parley.directory.appending(path: "logits"))
        let vocabulary = TinyModel().tokenizer.tokens.count
        #expect(data.count == tokens.count * vocabulary * 4)
        let logits = data.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
        for position in 1..<tokens.count {
            let row = logits[((position - 1) * vocabulary)..<(position * vocabulary)].map(Double.init)
            let normalizer = log(row.reduce(0) { $0 + exp($1) })
            #expect(abs((logprobs[position].number ?? 0) - (row[tokens[position]] - normalizer)) < 1e-5)
            let best = row.indices.sorted { row[$0] > row[$1] }.prefix(3)
            #expect(top[position].array?.compactMap { $0["id"]?.integer } == Array(best))
        }
    }

    @Test("the beginning-of-text token comes first where the model adds one")
    func beginningOfText() async throws {
        let parley = try ParleyProcess()
        try parley.writeModel(TinyModel(.gemma3))
        try parley.write("hello", to: "text")
        let score = try JSONValue(
            parsing: try await parley.run("score", "tiny.gguf", "--file", "text", "--json").text)
        #expect(score["tokens"]?[0] == 1)
        #expect(score["top"] == nil)
    }

    @Test("a text beyond the context and an empty one are errors", arguments: [("", "empty"), ("hello", "context")])
    func badLength(text: String, word: String) async throws {
        let parley = try ParleyProcess()
        try parley.writeModel()
        try parley.write(String(repeating: text, count: 300), to: "text")
        let outcome = try await parley.run("score", "tiny.gguf", "--file", "text", "--json", "--context", "128")
        #expect(outcome.status == 1)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains(word))
    }

    @Test("a model that computes NaN is an error, and no score is printed", arguments: [[], ["--json"]])
    func noNumbers(options: [String]) async throws {
        let parley = try ParleyProcess()
        var writer = TinyModel().writer()
        for index in writer.tensors.indices where writer.tensors[index].name == "output_norm.weight" {
            let count = writer.tensors[index].bytes.count
            writer.tensors[index].bytes = [UInt8](repeating: 0xFF, count: count)
        }
        try writer.write(to: parley.directory.appending(path: "tiny.gguf"))
        try parley.write("hello world", to: "text")
        let outcome = try await parley.run(["score", "tiny.gguf", "--file", "text"] + options)
        #expect(outcome.status == 1)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains("no probability"))
    }

    @Test("standard streams closed at the start do no harm, and no written file gets their descriptors")
    func closedStreams() async throws {
        let parley = try ParleyProcess()
        try parley.writeModel()
        try parley.write("hello world", to: "text")
        let outcome = try await parley.run(
            script: #""$PARLEY" score tiny.gguf --file text --logits logits 0<&- 1>&- 2>&-"#)
        // The output cannot be written, which is reported; the file is complete.
        #expect(outcome.status == 1)
        let data = try Data(contentsOf: parley.directory.appending(path: "logits"))
        #expect(!data.isEmpty && data.count.isMultiple(of: TinyModel().tokenizer.tokens.count * 4))
    }
}
