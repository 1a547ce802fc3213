// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyActions
import ParleyAssistant
import ParleyConversation
import ParleyJSON
import ParleyMCP
import Testing

@Suite("Tools of other programs")
struct ToolServersTests {
    /// A server with the tools `echo`, `environment` and `sleep`; it needs Python 3 and nothing else.
    private static func server(_ name: String, _ mode: String = "") -> MCPServerSettings {
        let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "ParleyMCPTests/Servers/server.py").path
        return MCPServerSettings(
            name: name, way: .program(command: "python3", arguments: [script, mode], environment: [:]))
    }

    @Test("Each server's tools are functions of their own; one that does not start is a sentence, and no end")
    func servers() async throws {
        let missing = MCPServerSettings(
            name: "gone", way: .program(command: "/no/such/program", arguments: [], environment: [:]))
        let settings = MCPSettings(servers: [Self.server("a b"), missing, Self.server("a.b"), Self.server("x", "die")])
        var limits = ToolServers.usualLimits
        // A busy machine may take long to start Python.
        (limits.connecting, limits.request) = (.seconds(600), .seconds(600))
        let servers = await ToolServers(
            connecting: settings, denying: ["a b.sleep", "a.b.echo", "a.b.environment"], limits: limits)
        #expect(servers.servers.map(\.name) == ["a b", "a.b"])
        #expect(servers.problems.count == 2)
        #expect(servers.problems.first?.contains("gone") == true && servers.problems.last?.contains("x") == true)
        #expect(servers.tools.map(\.name.description) == ["a b.echo", "a b.environment", "a.b.sleep"])
        #expect(Set(servers.tools.map(\.function.name)).count == 3)
        let echo = try #require(servers.tools.first)
        #expect(try await echo.run(["text": "hello"]) == "hello")
        await servers.close()
        await #expect(throws: AssistantError.self) { try await echo.run(["text": "hello"]) }
    }
}
