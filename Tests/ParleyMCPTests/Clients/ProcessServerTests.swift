// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyConversation
import ParleyJSON
import ParleyMCP
import Testing

@Suite("A server that is a program", .timeLimit(.minutes(15)))
struct ProcessServerTests {
    @Test("Its tools are listed page by page, called, and become functions under its name")
    func tools() async throws {
        let client = SmallServer.client()
        let server = try await client.connect()
        #expect(server.name == "small")
        #expect(server.instructions == "Be small.")
        #expect(server.revision == .november2025)
        #expect(try await client.tools().map(\.name) == ["echo", "environment", "sleep"])
        let result = try await client.call("echo", arguments: ["text": "Grüße"])
        #expect(result == MCPToolResult(content: [.text("Grüße")]))
        let functions = try await client.functionTools()
        #expect(functions.map(\.function.name) == ["small__echo", "small__environment", "small__sleep"])
        let call = FunctionCall(id: "1", name: "small__echo", arguments: ["text": "hello"])
        #expect(try await functions[0].run(call) == "hello")
        // No clock can count to that, so it is no limit.
        try await client.ping(timeout: .seconds(Int64.max))
        await client.close()
    }

    @Test("What only a model would read is neither in descriptions nor in what a tool answers")
    func hidden() async throws {
        let client = SmallServer.client()
        try await client.connect()
        let tool = try #require(try await client.tools().first)
        #expect(tool.description == "A tool.")
        #expect(tool.inputSchema["properties"]?["text"]?["description"]?.string == "The text.")
        // What a call has to give, or is checked with, stays.
        #expect(tool.inputSchema["properties"]?["text"]?["enum"] == ["\r\n", "\u{E0041}\u{200B}"])
        #expect(tool.inputSchema["properties"]?["text"]?["pattern"] == "^[^\0-\u{1f}]*$")
        let result = try await client.call("echo", arguments: ["text": "a\u{E0041}\u{202E}b"])
        #expect(result.text(upTo: 100) == "ab" && result.content.first?.text == "ab")
        await client.close()
    }

    @Test("It sees the variables that it is given, and no others")
    func environment() async throws {
        let client = SmallServer.client()
        try await client.connect()
        let result = try await client.call("environment")
        let names = result.structured?["variables"]?.array?.compactMap(\.string) ?? []
        #expect(names.contains("GREETING"))
        // The rest is set by Python where there is no locale, by macOS, and by a shell that stands before Python.
        let given: Set = ["GREETING", "PATH", "LC_CTYPE", "__CF_USER_TEXT_ENCODING", "PWD", "OLDPWD", "SHLVL", "_"]
        let own = Set(ProcessInfo.processInfo.environment.keys).subtracting(given).filter { !$0.hasPrefix("PYENV_") }
        #expect(!own.isEmpty && own.isDisjoint(with: names))
        await client.close()
    }

    @Test("Reports of progress arrive before the result, and changes of lists are told")
    func progress() async throws {
        let client = SmallServer.client()
        try await client.connect()
        let (reports, sink) = AsyncStream.makeStream(of: MCPProgress.self)
        _ = try await client.call("echo", arguments: ["text": "a"]) { sink.yield($0) }
        sink.finish()
        var all: [MCPProgress] = []
        for await report in reports { all.append(report) }
        #expect(all == [MCPProgress(progress: 0.5, total: 1, message: "half")])
        var changes = client.changes.makeAsyncIterator()
        #expect(await changes.next() == .tools)
        await client.close()
    }

    @Test("A call that takes too long fails, the server is told, and the connection goes on")
    func timeout() async throws {
        let client = SmallServer.client()
        try await client.connect()
        let error = await #expect(throws: MCPError.self) {
            try await client.call("sleep", timeout: .milliseconds(50))
        }
        #expect(error?.code == .timedOut)
        // The small server answers a cancellation with this.
        for await change in client.changes where change == .prompts { break }
        #expect(try await client.call("echo", arguments: ["text": "on"]).content == [.text("on")])
        await client.close()
    }

    @Test("Cancelling the task that calls ends the call at once, and the server is told")
    func cancellation() async throws {
        let client = SmallServer.client()
        try await client.connect()
        let call = Task { try await client.call("sleep") }
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(try await client.call("echo", arguments: ["text": "on"]).content == [.text("on")])
        await client.close()
    }

    @Test("What it says when it refuses is in no error")
    func refusal() async throws {
        let client = SmallServer.client()
        try await client.connect()
        let error = await #expect(throws: MCPError.self) { try await client.call("no such tool") }
        #expect(error?.code == .refused)
        #expect(error?.message.contains("secret") == false)
        await client.close()
    }

    @Test("Lines that are no messages, and noise on standard error, do no harm", arguments: ["garbage", "stderr"])
    func noise(_ mode: String) async throws {
        let client = SmallServer.client(mode)
        try await client.connect()
        #expect(try await client.tools().count == 3)
        await client.close()
    }

    @Test(
        "One that is silent, floods, never ends a line, dies or speaks another revision ends in an error that says so",
        arguments: [
            ("silent", MCPError.Code.timedOut), ("flood", .invalidMessage), ("endless", .invalidMessage),
            ("die", .closed), ("old", .unsupportedRevision),
        ])
    func failures(_ mode: String, _ code: MCPError.Code) async throws {
        var limits = MCPLimits.patient
        if mode == "silent" { limits.connecting = .milliseconds(200) }
        let client = SmallServer.client(mode, limits: limits)
        let error = await #expect(throws: MCPError.self) { try await client.connect() }
        #expect(error?.code == code)
        if mode == "die" { #expect(error?.message.contains("terminal") == true) }
        await #expect(throws: MCPError.self) { try await client.ping() }
    }

    @Test("One that dies during a call fails that call and all later ones")
    func death() async throws {
        let client = SmallServer.client()
        try await client.connect()
        let error = await #expect(throws: MCPError.self) { try await client.call("exit") }
        #expect(error?.code == .closed)
        await #expect(throws: MCPError.self) { try await client.ping() }
    }

    @Test("One that ignores being asked to end is killed, with what it has started")
    func stubbornness() async throws {
        let client = SmallServer.client("stubborn")
        try await client.connect()
        let result = try await client.call("environment")
        let child = try #require(result.structured?["children"]?.integer)
        #expect(kill(pid_t(child), 0) == 0)
        await client.close()
        // Its parent is gone, so the system takes it over in its own time; it is gone, or waits to be taken.
        while isAlive(child) {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    private func isAlive(_ id: Int) -> Bool {
        let status = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8)
        return kill(pid_t(id), 0) == 0 && status?.contains(") Z ") != true
    }

    @Test("A program that does not exist is named, with what to do")
    func missing() async throws {
        let transport = ProcessTransport(command: "parley-no-such-program")
        let client = MCPClient(name: "none", transport: transport)
        let error = await #expect(throws: MCPError.self) { try await client.connect() }
        #expect(error?.code == .unreachable)
        #expect(error?.message.contains("parley-no-such-program") == true)
    }
}
