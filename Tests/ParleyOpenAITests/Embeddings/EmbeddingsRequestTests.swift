// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyJSON
import ParleyOpenAI
import Testing

@Suite("Requests for embeddings")
struct EmbeddingsRequestTests {
    private func request(_ members: JSONObject) throws(OpenAIError) -> EmbeddingsRequest {
        var body: JSONObject = ["model": "m", "input": "a"]
        body.merge(members) { $1 }
        return try EmbeddingsRequest(.object(body))
    }

    @Test(
        "The input is a text, tokens, or a list of either",
        arguments: [
            ("a", [.text("a")]), (["a", "b"], [.text("a"), .text("b")]), ([1, 2], [.tokens([1, 2])]),
            ([[1, 2], [3]], [.tokens([1, 2]), .tokens([3])]), (["a", [1]], [.text("a"), .tokens([1])]),
        ] as [(JSONValue, [EmbeddingInput])])
    func inputs(json: JSONValue, inputs: [EmbeddingInput]) throws {
        #expect(try request(["input": json]).inputs == inputs)
    }

    @Test("Vectors are numbers unless base64 is asked for, and texts are not cut unless that is asked for")
    func options() throws {
        let usual = try request([:])
        #expect(usual.encoding == .float && !usual.truncates && usual.dimensions == nil && usual.ignored.isEmpty)
        let other = try request([
            "encoding_format": "base64", "truncation": "auto", "dimensions": 3, "user": "u", "mystery": 1,
        ])
        #expect(other.encoding == .base64 && other.truncates && other.dimensions == 3 && other.ignored == ["mystery"])
    }

    @Test(
        "Mistakes are named by their field",
        arguments: [
            ("input", .null), ("input", []), ("input", ""), ("input", [""]), ("input", 1), ("input", [1, "a"]),
            ("input", [[]]), ("input", [[-1]]), ("input", [4_294_967_296]), ("input", [:]),
            ("encoding_format", "int8"), ("dimensions", 0), ("dimensions", "a"), ("truncation", "left"), ("model", 1),
        ] as [(String, JSONValue)])
    func mistakes(name: String, value: JSONValue) {
        let error = #expect(throws: OpenAIError.self) { try request([name: value]) }
        #expect(error?.param?.hasPrefix(name) == true, "\(error?.param ?? "")")
    }

    @Test("The number of texts is limited")
    func limit() throws {
        let most = WireLimits.standard.embeddings
        #expect(try request(["input": .array(Array(repeating: "a", count: most))]).inputs.count == most)
        let error = #expect(throws: OpenAIError.self) {
            try request(["input": .array(Array(repeating: "a", count: most + 1))])
        }
        #expect(error?.param == "input")
        #expect(WireLimits.standard.json.values >= most * 2_001 + 10, "each may have 2,000 tokens")
    }

    @Test("An answer has the vectors in order, and the number of tokens")
    func answers() throws {
        let embeddings = [
            Embedding(vector: [0.1, -2, 0], tokenCount: 3), Embedding(vector: [1, 0, 0], tokenCount: 4),
        ]
        #expect(
            try request([:]).answer(embeddings, model: "m") == [
                "object": "list",
                "data": [
                    ["object": "embedding", "index": 0, "embedding": [0.1, -2.0, 0.0]],
                    ["object": "embedding", "index": 1, "embedding": [1.0, 0.0, 0.0]],
                ], "model": "m", "usage": ["prompt_tokens": 7, "total_tokens": 7],
            ])
        let coded = try request(["encoding_format": "base64"]).answer(embeddings, model: "m")
        #expect(coded["data"]?.array?.first?["embedding"] == "zczMPQAAAMAAAAAA")
    }
}
