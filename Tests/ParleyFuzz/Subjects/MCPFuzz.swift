// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyJSON
import ParleyMCP
import ParleyRuntime

/// What servers of tools send: lines cut anywhere, messages that answer nothing, and damaged results of every request.
struct MCPFuzz: FuzzSubject {
    static let name = "mcp"

    private static let pieces = [
        "{", "}", "[", "]", ",", ":", "\"", "\\", "null", "true", "0", "-1", "1e99", "\"id\":1,",
        "\"jsonrpc\":\"2.0\",",
        "\"method\":\"ping\",", "\"error\":{\"code\":1},", "\"result\":{},", "\"nextCursor\":\"x\",", "\"tools\":[{}],",
        "\"inputSchema\":[],", "\"type\":\"image\",", "\"resource\":{},", "\n", "\r\n", "\u{0}", "é",
    ].map { Array($0.utf8) }
    private static let results = [
        #"{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"prompts":{},"resources":{}},"serverInfo":{"name":"x"}}"#,
        #"{"tools":[{"name":"a","title":"A","description":"d","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]}"#,
        #"{"content":[{"type":"text","text":"t"},{"type":"image","data":"aa","mimeType":"image/png"},{"type":"resource","resource":{"uri":"u","text":"v"}},{"type":"resource_link","uri":"w","name":"n"}],"structuredContent":{"a":1},"isError":false}"#,
        #"{"prompts":[{"name":"p","arguments":[{"name":"x","required":true}]}],"nextCursor":"2"}"#,
        #"{"messages":[{"role":"user","content":{"type":"text","text":"t"}}]}"#,
        #"{"resources":[{"uri":"u","name":"n","mimeType":"m","size":9}],"contents":[{"uri":"u","blob":"aa"}]}"#,
    ].map { Array($0.utf8) }
    private static let lines = [
        #"{"jsonrpc":"2.0","id":1,"result":{"a":1}}"#,
        #"{"jsonrpc":"2.0","id":"x","method":"sampling/createMessage","params":{}}"#,
        #"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":0.5,"total":1}}"#,
        #"{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"m","data":{"supported":["2025-06-18"]}}}"#,
    ]

    func run(_ random: inout SplitMix64) async throws {
        try checkLines(&random)
        let text = (0..<random.int(1...4)).map { _ in random.pick(Self.lines) }.joined(separator: "\n") + "\n"
        var ledger = RequestLedger()
        for _ in 0..<3 { _ = ledger.begin() }
        for line in random.mutated(Array(text.utf8), with: Self.pieces).split(separator: 10) {
            guard let json = try? JSONValue(parsing: line, limits: JSONLimits(depth: 64, bytes: 1 << 20)) else {
                continue
            }
            if let message = RPCMessage(json), RPCMessage(message.json) != message {
                throw FuzzFailure("\(json.text()) is written as \(message.json.text()).")
            }
            _ = ledger.receive(json)
        }
        let settings =
            #"{"mcpServers":{"f":{"command":"c","args":["a"],"env":{"A":"${B:-c}"}},"w":{"url":"http://h/"}}}"#
        let damaged = random.mutated(Array(settings.utf8), with: Self.pieces)
        _ = try? MCPSettings(parsing: String(decoding: damaged, as: UTF8.self))
        try await use(&random)
    }

    /// The pieces in which lines arrive make no difference.
    private func checkLines(_ random: inout SplitMix64) throws {
        let bytes = random.mutated(
            Array((random.pick(Self.lines) + "\r\n" + random.pick(Self.lines)).utf8), with: Self.pieces)
        func lines(_ cut: Int) -> [[UInt8]]? {
            var splitter = LineSplitter(limit: 200)
            do {
                var lines = try splitter.take(Array(bytes.prefix(cut)))
                lines += try splitter.take(Array(bytes.dropFirst(cut)))
                return lines
            } catch {
                return nil
            }
        }
        guard lines(0) == lines(random.int(0...bytes.count)) else { throw FuzzFailure("Lines depend on their pieces.") }
    }

    /// All requests of a client, with damaged results.
    private func use(_ random: inout SplitMix64) async throws {
        let damaged = (0..<3).map { _ in random.mutated(random.pick(Self.results), with: Self.pieces) }
        // A result that is no object is no answer, and a request would wait for another one.
        let results = damaged.map { bytes -> JSONValue in
            guard let value = try? JSONValue(parsing: bytes), value.object != nil else { return [:] }
            return value
        }
        var limits = MCPLimits()
        limits.entries = 50
        let client = MCPClient(name: "f", transport: AnsweringTransport(results), limits: limits)
        _ = try? await client.connect()
        _ = try? await client.tools()
        _ = try? await client.prompts()
        _ = try? await client.resources()
        _ = try? await client.prompt("p")
        _ = try? await client.resource("u")
        if let result = try? await client.call("a"), result.text(upTo: 100).count > 130 {
            throw FuzzFailure("A result is longer than its limit.")
        }
        await client.close()
    }
}

/// A server that agrees on a revision, and answers everything else with given results in turn.
private actor AnsweringTransport: MCPTransport {
    private let results: [JSONValue]
    private var receive: (@Sendable (JSONValue) async -> Void)?
    private var count = 0
    private let (ended, end) = AsyncStream<Void>.makeStream()

    init(_ results: [JSONValue]) { self.results = results }

    func open(_ receive: @escaping @Sendable (JSONValue) async -> Void) { self.receive = receive }

    func run() async throws { for await _ in ended {} }

    func send(_ message: JSONValue) async throws {
        guard let id = message["id"], message["method"] != nil else { return }
        count += 1
        var result = results[count % results.count]
        if message["method"]?.string == "initialize" {
            result = [
                "protocolVersion": message["params"]?["protocolVersion"] ?? .null, "capabilities": [:],
                "serverInfo": result,
            ]
        }
        await receive?(["jsonrpc": "2.0", "id": id, "result": result])
    }

    func agree(on revision: MCPRevision) {}

    func close() { end.finish() }
}
