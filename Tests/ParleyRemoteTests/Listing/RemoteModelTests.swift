// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyHTTP
import ParleyJSON
import ParleyRemote
import ParleyTestSupport
import ParleyTesting
import Testing

@Suite("Lists of models", .timeLimit(.minutes(15)))
struct RemoteModelTests {
    private func models(_ reply: WebServerReply) async throws -> [RemoteModel] {
        let server = try WebServer { $0.path == "/v1/models" ? reply : WebServerReply(404) }
        defer { withExtendedLifetime(server) {} }
        return try await RemoteEndpoint(server.url(""), environment: [:]).models(
            client: URLSessionClient(environment: [:], clock: ManualClock()))
    }

    @Test("the fields of several servers are read, and what is missing is unknown")
    func fields() async throws {
        let models = try await models(
            .refusal(
                200,
                [
                    "object": "list",
                    "data": [
                        [
                            "id": "parley", "context_length": 8_192, "status": "loaded",
                            "capabilities": ["chat", "tools"], "architecture": ["input_modalities": ["text"]],
                        ],
                        ["id": "vllm", "max_model_len": 4_096], ["id": "llama", "meta": ["n_ctx_train": 2_048]],
                        ["id": "mistral", "capabilities": ["vision": true, "audio": false]], ["id": "openai"],
                        ["id": "bell\u{7}"], ["object": "model"], "text",
                    ],
                ]))
        #expect(models.map(\.id) == ["parley", "vllm", "llama", "mistral", "openai"])
        #expect(models.map(\.contextSize) == [8_192, 4_096, 2_048, nil, nil])
        #expect(models[0].capabilities == ["chat", "tools"] && models[0].status == "loaded")
        #expect(models[0].inputModalities == ["text"])
        #expect(models[3].capabilities == ["vision"] && models[4].capabilities == nil)
    }

    @Test("a list without models may be null")
    func noModels() async throws {
        #expect(try await models(.refusal(200, ["object": "list", "data": nil])).isEmpty)
    }

    @Test(
        "what is no list is an error that says so",
        arguments: [
            (WebServerReply.refusal(404), RemoteError.Code.wrongPath),
            (WebServerReply.refusal(401), .unauthorized), (WebServerReply.refusal(503), .overloaded),
            (WebServerReply(200, body: Data("<html>".utf8)), .invalidAnswer),
            (WebServerReply.refusal(200, ["models": 1]), .invalidAnswer),
        ])
    func failures(reply: WebServerReply, code: RemoteError.Code) async throws {
        let error = await #expect(throws: RemoteError.self) { _ = try await models(reply) }
        #expect(error?.code == code)
    }
}
