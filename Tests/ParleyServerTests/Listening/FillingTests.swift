// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyJSON
import ParleyServer
import ParleyTesting
import Synchronization
import Testing

@Suite("Texts that end in a suffix, or begin with their prompt", .serialized)
struct FillingTests {
    @Test("A long prompt is told with its probabilities, whole and streamed: it is nothing that a client left unread.")
    func echo() async throws {
        let runner = FillingRunner()
        let (answer, streamed) = try await ServerTrial.with(runner) {
            $0.limits.unreadBytes = 10_000
        } _: { trial in
            func ask(_ members: JSONObject) async throws -> RawAnswer {
                let body: JSONObject = [
                    "model": "scripted", "prompt": .string(String(repeating: "a", count: 20_000)), "echo": true,
                    "logprobs": 5,
                ]
                return try await trial.ask(ServerTrial.post("/v1/completions", .object(body.merging(members) { $1 })))
            }
            return (try await ask([:]), try await ask(["stream": true]))
        }
        #expect(answer.status == 200)
        let choice = answer.json["choices"]?[0]
        #expect(choice?["text"]?.string?.utf8.count == 20_007)
        #expect(choice?["logprobs"]?["tokens"]?.array?.count == FillingRunner.promptTokens)
        let events = streamed.events.compactMap { try? JSONValue(parsing: $0) }
        #expect(events.first?["choices"]?[0]?["logprobs"]?["tokens"]?.array?.count == FillingRunner.promptTokens)
        #expect(streamed.events.last == "[DONE]")
    }

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
    let abilities: RunnerAbilities = [.fillingIn, .probabilities]
    /// How many tokens every prompt has whose probabilities are wanted.
    static let promptTokens = 1_000
    private let asked = Mutex<[CompletionRequest]>([])

    /// All requests so far.
    var requests: [CompletionRequest] { asked.withLock { $0 } }

    func complete(_ request: CompletionRequest, to writer: ResponseWriter) async throws -> GenerationOutcome {
        asked.withLock { $0.append(request) }
        var report = PromptReport()
        if request.scoresPrompt {
            let token = TokenProbability.Candidate(token: 1, bytes: [0x61], logprob: -1)
            report.probabilities = Array(
                repeating: TokenProbability(token, top: [token]), count: Self.promptTokens)
        }
        writer.acceptPrompt(report)
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
