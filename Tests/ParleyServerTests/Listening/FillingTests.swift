// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyJSON
import ParleyTesting
import Synchronization
import Testing

@Suite("Texts that end in a suffix", .serialized)
struct FillingTests {
    @Test("A model that can fill in is handed the suffix, and answers with what comes between.")
    func suffix() async throws {
        let runner = FillingRunner()
        let (answer, streamed, without) = try await ServerTrial.with(runner) { trial in
            func ask(_ members: JSONObject) async throws -> RawAnswer {
                let body: JSONObject = ["model": "scripted", "prompt": ["def f(", "x = "]]
                return try await trial.ask(ServerTrial.post("/v1/completions", .object(body.merging(members) { $1 })))
            }
            return (
                try await ask(["suffix": "): pass"]), try await ask(["suffix": "): pass", "stream": true]),
                try await ask([:])
            )
        }
        #expect(answer.status == 200)
        #expect(answer.json["choices"]?.array?.compactMap { $0["text"]?.string } == ["between", "between"])
        let texts = streamed.events.compactMap { (try? JSONValue(parsing: $0))?["choices"]?[0]?["text"]?.string }
        #expect(texts.joined() == "betweenbetween")
        #expect(without.status == 200)
        let suffixes = runner.requests.map(\.suffix)
        #expect(suffixes == ["): pass", "): pass", "): pass", "): pass", nil, nil])
        let prompts = Set(runner.requests.map(\.prompt))
        #expect(prompts == [.text("def f("), .text("x = ")])
    }
}

/// A model that can fill in the middle of a text, and always writes the same there.
private final class FillingRunner: TextCompleting {
    let modelID = "scripted"
    let abilities: RunnerAbilities = [.fillingIn]
    private let asked = Mutex<[CompletionRequest]>([])

    /// All requests so far.
    var requests: [CompletionRequest] { asked.withLock { $0 } }

    func complete(_ request: CompletionRequest, to writer: ResponseWriter) async throws -> GenerationOutcome {
        asked.withLock { $0.append(request) }
        writer.acceptPrompt(PromptReport())
        await writer.write([.text("between")])
        return GenerationOutcome(.stop)
    }

    func generate(_ request: GenerationRequest, to writer: ResponseWriter) async throws -> GenerationOutcome {
        GenerationOutcome(.stop)
    }

    func promptTokenCount(
        messages: [ChatMessage], functions: [Function], options: GenerationOptions?
    ) async throws -> Int { 0 }

    func unload() async {}
}
