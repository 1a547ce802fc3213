// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import ParleyConversation
import ParleyJSON
import ParleyServer
import ParleyTesting

/// A server on a port of its own with a scripted model `scripted`, for the time of a test.
struct ServerTrial: Sendable {
    let port: Int
    let server: APIServer
    let runner: any ModelRunner

    /// Runs a test with a server.
    static func with<Value: Sendable>(
        _ runner: any ModelRunner, logger: Logger? = nil, library: (any ModelLibrary)? = nil,
        speech: ServedSpeech? = nil,
        configure: (inout ServerConfiguration) -> Void = { _ in },
        _ body: @escaping @Sendable (ServerTrial) async throws -> Value
    ) async throws -> Value {
        var model = ServedModel(id: "scripted", created: 1_700_000_000)
        model.contextSize = 4_096
        model.fingerprint = "parley-test"
        let loaded = LoadedRunner(model, runner: runner)
        let pool = ModelPool([model], pinned: ["scripted"], library: library) { _, _ in loaded }
        try await pool.loadPinned()
        return try await with(pool, runner, logger: logger, speech: speech, configure: configure, body)
    }

    /// Runs a test with a server of other models.
    static func with<Value: Sendable>(
        _ models: any ServedModels, _ runner: any ModelRunner = ScriptedRunner(replies: []), logger: Logger? = nil,
        speech: ServedSpeech? = nil,
        configure: (inout ServerConfiguration) -> Void = { _ in },
        _ body: @escaping @Sendable (ServerTrial) async throws -> Value
    ) async throws -> Value {
        var configuration = ServerConfiguration(address: .internet(host: "127.0.0.1", port: 0), version: "0")
        configuration.queueTime = .seconds(600)
        configuration.limits = .patient
        configure(&configuration)
        let server =
            logger.map { APIServer(configuration, models: models, speech: speech, logger: $0) }
            ?? APIServer(configuration, models: models, speech: speech)
        let (ports, continuation) = AsyncStream<Int>.makeStream()
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask {
                try await server.run { port in
                    continuation.yield(port ?? 0)
                    continuation.finish()
                }
                return nil
            }
            group.addTask {
                var iterator = ports.makeAsyncIterator()
                guard let port = await iterator.next() else { throw POSIXError(.EADDRNOTAVAIL) }
                return try await body(ServerTrial(port: port, server: server, runner: runner))
            }
            defer { group.cancelAll() }
            while let value = try await group.next() {
                if let value {
                    await server.drain(for: .zero)
                    return value
                }
            }
            throw POSIXError(.ECONNABORTED)
        }
    }

    /// A request with a body in JSON.
    static func post(_ path: String, _ body: JSONValue, fields: [String] = []) -> String {
        let text = body.text()
        let head =
            ["POST \(path) HTTP/1.1", "Host: localhost", "Content-Type: application/json"] + fields
            + ["Content-Length: \(text.utf8.count)"]
        return head.joined(separator: "\r\n") + "\r\n\r\n" + text
    }

    /// A request without a body.
    static func get(_ path: String, host: String = "localhost", fields: [String] = []) -> String {
        (["GET \(path) HTTP/1.1", "Host: \(host)"] + fields).joined(separator: "\r\n") + "\r\n\r\n"
    }

    /// A request without a body, of any method.
    static func bare(_ method: String, _ path: String, fields: [String] = []) -> String {
        method + get(path, fields: fields).dropFirst(3)
    }

    /// Sends a request through a new connection.
    func ask(_ request: String) async throws -> RawAnswer { try await RawClient(port: port).ask(request) }

    /// Asks for replies.
    func chat(_ members: JSONObject, fields: [String] = []) async throws -> RawAnswer {
        var body: JSONObject = ["model": "scripted", "messages": [["role": "user", "content": "Hello!"]]]
        body.merge(members) { $1 }
        return try await ask(Self.post("/v1/chat/completions", .object(body), fields: fields))
    }

    /// Why a reply is refused, as soon as that is not because another request of the key runs.
    func refusalWhenIdle(fields: [String]) async throws -> String {
        var message = ""
        repeat {
            message = try await chat([:], fields: fields).json["error"]?["message"]?.string ?? ""
        } while message.contains("run or wait")
        return message
    }
}

extension ServerLimits {
    /// Limits of which a test reaches only those that it sets: where all tests run at once, a request may take minutes.
    static var patient: ServerLimits {
        var limits = ServerLimits()
        let time = Duration.seconds(600)
        (limits.headTime, limits.bodyTime, limits.idleTime, limits.unreadTime) = (time, time, time, time)
        (limits.requestTime, limits.schemaTime, limits.streamHeadTime, limits.silence) = (time, time, time, time)
        (limits.drainTime, limits.lastRequestTime) = (time, time)
        return limits
    }
}
