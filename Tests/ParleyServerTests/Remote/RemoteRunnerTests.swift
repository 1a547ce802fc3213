// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyConversation
import ParleyHTTP
import ParleyJSON
import ParleyRemote
import ParleyServer
import ParleyTesting
import Testing

/// The runner for servers, over the server of this package.
@Suite("A remote runner over the server", .serialized, .timeLimit(.minutes(15)))
struct RemoteRunnerTests {
    private static let text = (1...40).map { "word\($0)" }.joined(separator: " ")

    private func remote(_ trial: ServerTrial) throws -> RemoteModelRunner {
        let url = try #require(URL(string: "http://127.0.0.1:\(trial.port)"))
        var endpoint = try RemoteEndpoint(url, environment: [:])
        (endpoint.limits.answer, endpoint.limits.silence) = (.seconds(600), .seconds(600))
        return RemoteModelRunner(
            model: "scripted", at: endpoint,
            client: URLSessionClient(environment: [:], reusesConnections: false))
    }

    @Test("It keeps the rules of all runners.", arguments: ModelRunnerConformance.checks)
    func conformance(check: ModelRunnerConformance.Check) async throws {
        let inner = ScriptedRunner(replies: [ScriptedReply(Self.text)])
        try await ServerTrial.with(inner) { trial in
            var subject = ModelRunnerConformance.Subject { try remote(trial) }
            subject.patience = .seconds(600)
            // Not above what a request may have in all.
            subject.oversizedText = String(repeating: "word ", count: 20_000)
            try await check.run(on: subject)
        }
    }

    @Test("Stopping closes the connection, by which the server notices it at once.")
    func stopping() async throws {
        let gate = Gate()
        let (ends, end) = AsyncStream.makeStream(of: FinishReason.self)
        let inner = EndingRunner(
            inner: ScriptedRunner { _, _ in ScriptedReply(steps: [.token("a "), .wait(gate), .token("b")]) },
            onEnd: { end.yield($0) })
        let reason = try await ServerTrial.with(inner) { trial in
            let conversation = try remote(trial).createConversation()
            let reply = conversation.reply(to: "Hello!")
            await gate.arrival()
            reply.stop()
            #expect(try await reply.completion.finishReason == .cancelled)
            for await reason in ends { return reason as FinishReason? }
            return nil
        }
        #expect(reason == .cancelled)
    }

    @Test("Functions are called, their results sent, and a schema comes back as JSON.")
    func functions() async throws {
        let inner = ScriptedRunner(replies: [
            ScriptedReply("<think>Ask.</think><tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\": 1}}\n</tool_call>"),
            "It is warm.",
        ])
        try await ServerTrial.with(inner) { trial in
            let conversation = try remote(trial).createConversation()
            conversation.registerFunction(Function(name: "f", description: "d", parameters: []))
            let first = try await conversation.reply(to: "Warm?").completion
            #expect(first.finishReason == .functionCall && first.message.reasoningContent == "Ask.")
            let call = try #require(first.message.functionCalls?.first)
            #expect(call.name == "f" && call.arguments == ["a": 1])
            let second = try await conversation.reply(
                to: ChatMessage(role: .tool, content: [.text("20 °C")], functionCallID: call.id)
            ).completion
            #expect(second.message.text == "It is warm.")
        }
        let roles = inner.requests.last?.messages.map(\.role)
        #expect(roles == [.user, .assistant, .tool])
    }

    @Test("The list of models has what the server tells of them.")
    func models() async throws {
        try await ServerTrial.with(ScriptedRunner(replies: ["Hi."])) { trial in
            let models = try await remote(trial).endpoint.models(
                client: PatientClient(inner: URLSessionClient(environment: [:], reusesConnections: false)))
            #expect(models.map(\.id) == ["scripted"] && models.first?.contextSize == 4_096)
        }
    }
}

/// A client that waits for an answer as long as a busy machine needs: a list of models has half a minute otherwise.
private struct PatientClient: HTTPClient {
    let inner: URLSessionClient

    func withResponse<Result: Sendable>(
        to request: HTTPRequest, _ use: (HTTPResponse) async throws -> Result
    ) async throws -> Result {
        var request = request
        request.limits.answer = .seconds(600)
        return try await inner.withResponse(to: request, use)
    }
}

/// A runner that tells how each of its replies ends.
private struct EndingRunner: ModelRunner {
    let inner: ScriptedRunner
    let onEnd: @Sendable (FinishReason) -> Void
    var modelID: String { inner.modelID }

    func generate(_ request: GenerationRequest, to writer: ResponseWriter) async throws -> GenerationOutcome {
        let outcome = try await inner.generate(request, to: writer)
        onEnd(outcome.finishReason)
        return outcome
    }

    func promptTokenCount(
        messages: [ChatMessage], functions: [Function], options: GenerationOptions?
    ) async throws -> Int { 1 }

    func unload() async { await inner.unload() }
}
