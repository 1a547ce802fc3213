// SPDX-License-Identifier: Apache-2.0

import Foundation
import InMemoryLogging
import Logging
import ParleyHTTP
import ParleyModels
import ParleyTestSupport
import Testing

@Suite("ModelStore: logging")
struct ModelStoreLoggingTests {
    @Test("how a download goes is logged, and no credential is")
    func download() async throws {
        let file = ServedFile()
        let server = try WebServer { request in
            if request.path.hasPrefix("/missing") { return WebServerReply(404) }
            return request.number == 1 ? file.reply(to: request).brokenOff(after: 9_000) : file.reply(to: request)
        }
        var handler = InMemoryLogHandler()
        handler.logLevel = .trace
        var served = try ServedStore()
        served.store.logger = Logger(label: "test") { [handler] _ in handler }
        served.store.hub = HubEndpoint(environment: ["HF_ENDPOINT": server.root, "HF_TOKEN": "hf_secret"])
        let root = server.root.replacing("http://", with: "http://user:hunter2@")
        let manifest = file.manifest(
            try #require(URL(string: "\(root)/missing.gguf?signature=sealed")),
            try server.url("/model.gguf?signature=sealed"))
        try await served.store.install(manifest)

        let sent = server.requests.compactMap { $0.headers["authorization"] }
        #expect(sent.contains("Bearer hf_secret") && sent.contains { $0.hasPrefix("Basic ") })
        let messages = handler.entries.map { "\($0.message)" }
        for message in [
            "A download begins.", "A source did not deliver.", "A source failed and is asked again.",
            "A file has come.", "A model was installed.",
        ] {
            #expect(messages.contains(message), "\(message)")
        }
        let text = handler.entries.map { "\($0.message) \($0.metadata)" }.joined(separator: "\n")
        for secret in ["hf_secret", "hunter2", "user", "sealed", "Basic", "Bearer"] {
            #expect(!text.contains(secret), "\(secret)")
        }
    }
}
