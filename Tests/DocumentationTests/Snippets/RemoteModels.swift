// SPDX-License-Identifier: Apache-2.0

import Foundation
import Parley
import ParleyTestSupport
import Testing

/// The examples of RemoteModels.md, run against a server that says what it is told.
@Suite("Models of a server", .timeLimit(.minutes(15)))
struct RemoteModels {
    private func server() throws -> WebServer {
        try WebServer { request in
            request.path == "/v1/models"
                ? WebServerReply(
                    200, headers: ["Content-Type": "application/json"],
                    body: Data(
                        #"{"data":[{"id":"a","architecture":{"input_modalities":["text"]}},{"id":"b"}]}"#.utf8))
                : WebServerReply(
                    200, headers: ["Content-Type": "text/event-stream"],
                    body: Data(
                        #"""
                        data: {"choices":[{"delta":{"content":"Rhine, Nile, Po."},"finish_reason":"stop"}]}

                        data: [DONE]


                        """#.utf8))
        }
    }

    @Test("the examples work")
    func examples() async throws {
        let server = try server()
        let url = try server.url("")
        #expect(try await talk(to: url) == "Rhine, Nile, Po.")
        #expect(try await modelsThatSee(at: RemoteEndpoint(url)) == ["b"])
        withExtendedLifetime(server) {}
    }
}

func talk(to address: URL) async throws -> String {
    let endpoint = try RemoteEndpoint(address, key: RemoteKey.ofEnvironment(for: address))
    let runner = RemoteModelRunner(model: "smollm2-135m", at: endpoint)
    let conversation = runner.createConversation(systemPrompt: "Answer briefly.")
    return try await conversation.reply(to: "Name three rivers.").completion.message.text
}

func modelsThatSee(at endpoint: RemoteEndpoint) async throws -> [String] {
    let models = try await endpoint.models()
    return models.filter { $0.inputModalities?.contains("image") ?? true }.map(\.id)
}
