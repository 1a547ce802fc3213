// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyConversation
import ParleyHTTP
import ParleyJSON
import ParleyMCP
import Synchronization

/// Goes through everything that the client offers with the server of `scripts/reference/mcp/server.py`;
/// `scripts/check-mcp` runs it.
@main
struct MCPCheck {
    let client: MCPClient
    var failures = 0

    static func main() async {
        var words = Array(CommandLine.arguments.dropFirst())
        let isStateless = words.first == "stateless"
        if isStateless { words.removeFirst() }
        let transport: any MCPTransport
        if words.count == 2, words[0] == "http", let url = URL(string: words[1]) {
            transport = HTTPTransport(url: url)
        } else if words.count >= 2, words[0] == "stdio" {
            transport = ProcessTransport(
                command: words[1], arguments: Array(words.dropFirst(2)), environment: ["PATH": "/usr/bin:/bin"])
        } else {
            print("usage: ParleyMCPCheck [stateless] stdio PROGRAM ARGUMENT… | http URL")
            exit(64)
        }
        let client = MCPClient(
            name: "reference", transport: transport, offering: isStateless ? .july2026 : .november2025)
        var check = MCPCheck(client: client)
        let kind = URL(string: words.last ?? "")?.query()
        await check.run(isResumable: kind == "resumable", isJSON: kind == "json")
        exit(check.failures == 0 ? 0 : 1)
    }

    private mutating func run(isResumable: Bool, isJSON: Bool) async {
        let client = client
        await step("connect") {
            let server = try await client.connect()
            print("   \(server.name) \(server.version), revision \(server.revision)")
            return server.name == "reference" && server.instructions == "Use the tools." && server.hasTools
        }
        await step("tools/list") {
            try await client.tools().map(\.name) == ["add", "count", "wait", "fail", "ask", "interrupt"]
        }
        await step("functions") {
            let tools = try await client.functionTools()
            return tools.first?.function.name == "reference__add"
                && tools.first?.function.parameters.value["required"] == ["a", "b"]
        }
        await step("tools/call") {
            let result = try await client.call("add", arguments: ["a": 2, "b": 3])
            return result.content == [.text("5")] && result.structured == ["result": 5] && !result.isError
        }
        await step("tools/call, many at once") {
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<50 {
                    group.addTask {
                        try await client.call("add", arguments: ["a": .integer(number), "b": 1]).content
                            == [.text("\(number + 1)")]
                    }
                }
                return try await group.reduce(true) { $0 && $1 }
            }
        }
        await step("progress") {
            let reports = Mutex(0)
            let result = try await client.call("count", arguments: ["to": 5]) { _ in reports.withLock { $0 += 1 } }
            // An answer that is one JSON has no room for reports.
            return result.content == [.text("counted to 5")] && reports.withLock { $0 } == (isJSON ? 0 : 5)
        }
        await step("a tool that fails") {
            let result = try await client.call("fail")
            return result.isError && result.text(upTo: 1_000).hasPrefix("The tool reports an error:")
        }
        await step("a request of the server, declined") {
            try await client.call("ask").content == [.text("declined")]
        }
        await step("a tool that does not exist") {
            do {
                return try await client.call("nothing").isError
            } catch let error as MCPError {
                return error.code == .refused
            }
        }
        await step("timeout, and on") {
            do {
                _ = try await client.call("wait", arguments: ["seconds": 60], timeout: .milliseconds(200))
                return false
            } catch let error as MCPError where error.code == .timedOut {
                return try await client.call("add", arguments: ["a": 1, "b": 1]).content == [.text("2")]
            }
        }
        if isResumable {
            await step("a stream that is resumed") { try await client.call("interrupt").content == [.text("resumed")] }
        }
        await step("resources") {
            let resources = try await client.resources()
            let content = try await client.resource("file:///readme")
            let made = try await client.resource("note://one")
            return resources.map(\.uri) == ["file:///readme"] && content.first?.text.contains("Read me.") == true
                && made.first?.text.contains("The note one.") == true
        }
        await step("prompts") {
            let prompts = try await client.prompts()
            let messages = try await client.prompt("greet", arguments: ["name": "Ada"])
            return prompts.map(\.name) == ["greet"] && prompts.first?.arguments.first?.isRequired == true
                && messages.map(\.content) == [.text("Greet Ada.")]
        }
        await step("ping") {
            // The stateless revision has none.
            if await client.server?.revision == .july2026 { return true }
            try await client.ping()
            return true
        }
        await client.close()
    }

    private mutating func step(_ name: String, _ body: () async throws -> Bool) async {
        do {
            let isRight = try await body()
            if !isRight { failures += 1 }
            print(isRight ? "ok \(name)" : "WRONG \(name)")
        } catch {
            failures += 1
            print("FAILED \(name): \(error)")
        }
    }
}
