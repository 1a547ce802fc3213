// SPDX-License-Identifier: Apache-2.0

public import ParleyJSON

extension MCPClient {
    /// The tools of the server.
    ///
    /// - Throws: ``MCPError``, or `CancellationError`.
    public func tools() async throws -> [MCPTool] {
        try await list("tools/list", "tools").compactMap { MCPTool($0) }
    }

    /// Calls a tool.
    ///
    /// - Parameters:
    ///   - tool: the tool's name, as the server knows it.
    ///   - arguments: the arguments.
    ///   - timeout: how long it may take; nil for ``MCPLimits/request``.
    ///   - progress: called with the server's reports of its progress.
    /// - Returns: the result, which may say that the tool failed; untrusted.
    /// - Throws: ``MCPError``, or `CancellationError`, after which the server is told.
    public func call(
        _ tool: String, arguments: JSONObject = [:], timeout: Duration? = nil,
        progress: (@Sendable (MCPProgress) -> Void)? = nil
    ) async throws -> MCPToolResult {
        MCPToolResult(
            try await request(
                "tools/call", ["name": .string(tool), "arguments": .object(arguments)], timeout: timeout,
                progress: progress))
    }

    /// The resources of the server.
    ///
    /// - Throws: ``MCPError``, or `CancellationError`.
    public func resources() async throws -> [MCPResource] {
        try await list("resources/list", "resources").compactMap { MCPResource($0) }
    }

    /// Reads a resource.
    ///
    /// - Throws: ``MCPError``, or `CancellationError`.
    public func resource(_ uri: String) async throws -> [MCPContent] {
        let result = try await request("resources/read", ["uri": .string(uri)])
        let contents = result["contents"]?.array ?? []
        return contents.prefix(1_000).compactMap { MCPContent(resource: $0) }
    }

    /// The prompts of the server.
    ///
    /// - Throws: ``MCPError``, or `CancellationError`.
    public func prompts() async throws -> [MCPPrompt] {
        try await list("prompts/list", "prompts").compactMap { MCPPrompt($0) }
    }

    /// The messages of a prompt.
    ///
    /// - Throws: ``MCPError``, or `CancellationError`.
    public func prompt(_ name: String, arguments: [String: String] = [:]) async throws -> [MCPPromptMessage] {
        let values = arguments.sorted { $0.key < $1.key }.map { ($0.key, JSONValue.string($0.value)) }
        let result = try await request(
            "prompts/get", ["name": .string(name), "arguments": .object(JSONObject(uniqueKeysWithValues: values))])
        let messages = result["messages"]?.array ?? []
        return messages.prefix(1_000).compactMap { MCPPromptMessage($0) }
    }

    /// Asks the server whether it is there.
    ///
    /// - Throws: ``MCPError``, or `CancellationError`.
    public func ping(timeout: Duration? = nil) async throws {
        _ = try await request("ping", timeout: timeout)
    }

    /// All pages of a list, up to the limit of entries and that of a message.
    private func list(_ method: String, _ member: String) async throws -> [JSONValue] {
        var entries: [JSONValue] = []
        var bytes = 0
        var cursor: String?
        // A server may answer with empty pages, or with the same one again, for ever.
        for _ in 0..<100 {
            let result = try await request(method, cursor.map { ["cursor": .string($0)] } ?? [:])
            for entry in (result[member]?.array ?? []).prefix(limits.entries - entries.count) {
                bytes += entry.text().utf8.count
                guard bytes <= limits.messageBytes else { return entries }
                entries.append(entry)
            }
            // Some servers write an empty cursor where there are no more pages.
            guard let next = result["nextCursor"]?.string, !next.isEmpty, next != cursor, next.utf8.count <= 4_096,
                entries.count < limits.entries
            else { break }
            cursor = next
        }
        return entries
    }
}
