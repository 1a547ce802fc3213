// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyConversation
import ParleyHTTP
import ParleyJSON
import ParleyRemote
import ParleyTestSupport
import ParleyTesting

/// A server that answers what it is told, with a runner for it that does not wait between attempts, nor take an answer
/// for late.
struct FakeServer {
    let web: WebServer
    let runner: RemoteModelRunner
    let clock = InstantClock()

    init(
        key: String? = nil, limits: RemoteEndpoint.Limits = .init(),
        answer: @escaping @Sendable (WebServerRequest) -> WebServerReply
    ) throws {
        web = try WebServer(answer: answer)
        var endpoint = try RemoteEndpoint(web.url(""), key: key.map { try RemoteKey($0) }, environment: [:])
        endpoint.limits = limits
        runner = RemoteModelRunner(
            model: "m", at: endpoint,
            client: URLSessionClient(environment: [:], reusesConnections: false, clock: ManualClock()), clock: clock)
    }

    /// The JSON of the bodies that were sent.
    var bodies: [JSONValue] { web.requests.map { (try? JSONValue(parsing: $0.body)) ?? .null } }

    /// The reply to a request that belongs to no conversation.
    func reply(_ request: GenerationRequest = .init(messages: [.user("Hello!")])) async throws -> MessageCompletion {
        // A release build frees the server after its last use otherwise, before it has answered.
        defer { withExtendedLifetime(web) {} }
        let writer = ResponseWriter { _ in }
        return writer.complete(try await runner.generate(request, to: writer))
    }

    /// The error of a reply that fails.
    func failure(
        _ request: GenerationRequest = .init(messages: [.user("Hello!")])
    ) async -> (error: ConversationError?, cause: RemoteError?) {
        do {
            _ = try await reply(request)
            return (nil, nil)
        } catch {
            let error = error as? ConversationError
            return (error, error?.cause as? RemoteError)
        }
    }
}

extension WebServerReply {
    /// A stream of events with a text as its body, which ends with the connection.
    static func stream(_ text: String, pieces: Int? = nil) -> WebServerReply {
        let bytes = Array(text.utf8)
        let size = pieces ?? max(bytes.count, 1)
        let parts = stride(from: 0, to: bytes.count, by: size).map {
            Piece.bytes(Data(bytes[$0..<min($0 + size, bytes.count)]))
        }
        return WebServerReply(
            head: "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n",
            pieces: parts + [.hangUp])
    }

    /// A stream of chunks, each with a choice whose members are given, and `[DONE]`.
    static func chunks(_ deltas: [String], usage: String? = nil, isDone: Bool = true) -> WebServerReply {
        let chunks = deltas.map { "data: {\"id\":\"1\",\"choices\":[{\"index\":0,\($0)}]}\n\n" }
        let last = usage.map { "data: {\"id\":\"1\",\"choices\":[],\"usage\":\($0)}\n\n" } ?? ""
        return stream(chunks.joined() + last + (isDone ? "data: [DONE]\n\n" : ""))
    }

    /// A reply that says `Hi.`
    static var hi: WebServerReply {
        chunks([#""delta":{"role":"assistant","content":"Hi."}"#, #""delta":{},"finish_reason":"stop""#])
    }

    /// A refusal.
    static func refusal(
        _ status: Int, _ json: JSONValue = .null, headers: [String: String] = [:]
    ) -> WebServerReply {
        WebServerReply(
            status, headers: headers.merging(["Content-Type": "application/json"]) { own, _ in own },
            body: Data(json.text().utf8))
    }
}
