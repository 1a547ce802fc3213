// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyHTTP
import ParleyMCP
import ParleyTestSupport
import Testing

@Suite("The settings that name servers")
struct MCPSettingsTests {
    @Test("Programs and addresses are read in the order of the file, and disabled ones left out")
    func reading() throws {
        let settings = try MCPSettings(
            parsing: """
                {"mcpServers": {
                  "files": {"command": "npx", "args": ["-y", "server", "/tmp"], "env": {"LEVEL": "1"}, "new": 1},
                  "off": {"command": "x", "disabled": true},
                  "web": {"type": "http", "url": "https://example.com/mcp", "headers": {"Authorization": "Bearer ${KEY}"}}
                }, "other": 1}
                """)
        let url = try #require(URL(string: "https://example.com/mcp"))
        #expect(
            settings.servers == [
                MCPServerSettings(
                    name: "files",
                    way: .program(command: "npx", arguments: ["-y", "server", "/tmp"], environment: ["LEVEL": "1"])),
                MCPServerSettings(name: "web", way: .address(url, headers: ["Authorization": "Bearer ${KEY}"])),
            ])
    }

    @Test(
        "What is wrong is named with its place, and no value is repeated",
        arguments: [
            ("{", "line 1"), ("[]", "mcpServers"), (#"{"mcpServers": {"a": {}}}"#, "a has neither"),
            (#"{"mcpServers": {"a": {"command": 1}}}"#, "a: command"),
            (#"{"mcpServers": {"a": {"command": "x", "args": "secret"}}}"#, "a: args"),
            (#"{"mcpServers": {"a": {"command": "x", "args": [1]}}}"#, "a: args"),
            (#"{"mcpServers": {"a": {"command": "x", "env": {"A": 1}}}}"#, "a: env"),
            (#"{"mcpServers": {"a": {"url": "file:///secret"}}}"#, "a: url"),
            (#"{"mcpServers": {"a": {"url": "https://me:secret@example.com"}}}"#, "a: url"),
            (#"{"mcpServers": {"a": {"url": "https://example.com", "type": "sse"}}}"#, "a: type"),
            (#"{"mcpServers": {"": {"command": "x"}}}"#, "name"),
        ])
    func errors(_ text: String, _ part: String) {
        let error = #expect(throws: MCPError.self) { try MCPSettings(parsing: text) }
        #expect(error?.code == .invalidSettings)
        #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("secret") == false)
    }

    @Test("A file that is too large is told so, and a pipe is refused without waiting for its writer")
    func files() throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let (large, pipe) = (directory.url.appending(path: "large.json"), directory.url.appending(path: "pipe"))
        try Data(repeating: 0x20, count: (1 << 20) + 1).write(to: large)
        #expect(mkfifo(pipe.path, 0o600) == 0)
        for (file, part) in [(large, "more than"), (pipe, "not a file")] {
            let error = #expect(throws: MCPError.self) { try MCPSettings(contentsOf: file) }
            #expect(error?.code == .invalidSettings)
            #expect(error?.message.contains(part) == true && error?.message.contains(file.path) == true)
        }
    }

    @Test("Programs receive what they need to start and their own variables, with those that the texts name filled in")
    func environment() throws {
        let server = MCPServerSettings(
            name: "a",
            way: .program(
                command: "x", arguments: [], environment: ["TOKEN": "t-${KEY}-${NONE:-else}", "PLAIN": "a$b ${open"]))
        let result = try server.environment(from: ["PATH": "/bin", "KEY": "k", "SECRET": "s", "HOME": "/home/me"])
        #expect(result == ["PATH": "/bin", "HOME": "/home/me", "TOKEN": "t-k-else", "PLAIN": "a$b ${open"])
        let error = #expect(throws: MCPError.self) { try server.environment(from: [:]) }
        #expect(error?.message.contains("KEY") == true)
    }
}
