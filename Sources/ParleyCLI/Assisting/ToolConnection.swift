// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyActions
import ParleyAssistant
import ParleyConversation
import ParleyHTTP
import ParleyLocal
import ParleyMCP
import ParleyModels

/// Connects the servers of tools for a chat, and says what is left out.
struct ToolConnection {
    let console: Console
    /// Whether the model was trained to call functions.
    let runner: LocalModelRunner
    /// Tools that are never used.
    let denied: Set<String>

    /// Connects the servers that a file names.
    ///
    /// - Parameters:
    ///   - file: the file of `--mcp`; nil for the usual one, which may be missing.
    ///   - usual: the usual file.
    /// - Returns: the servers; nil if none is named.
    /// - Throws: ``CommandError`` or `MCPError` if the file of `--mcp` cannot be read.
    func open(_ file: String?, usual: URL) async throws -> ToolServers? {
        let settings: MCPSettings
        if let file {
            settings = try MCPSettings(contentsOf: URL(filePath: file))
        } else if FileManager.default.fileExists(atPath: usual.path) {
            do {
                settings = try MCPSettings(contentsOf: usual)
            } catch {
                console.note("No tools are connected. \(ErrorText.of(error))")
                return nil
            }
        } else {
            return nil
        }
        guard !settings.servers.isEmpty else { return nil }
        guard runner.capabilities.contains(.functions) else {
            console.note("\(runner.modelID) does not call functions, so the tools of mcp.json are left out.")
            return nil
        }
        let servers = await ToolServers(connecting: settings, denying: denied)
        for problem in servers.problems { console.note(PlainText.clean(problem)) }
        return servers
    }

    /// The tools of which the prompt has room: their descriptions take half of the context at most.
    func fitting(_ tools: [AssistantTool], with tags: [ActionTag]) async -> [AssistantTool] {
        func tokens(_ count: Int) async -> Int {
            let functions = tags.map(\.function) + tools.prefix(count).map(\.function)
            return (try? await runner.promptTokenCount(messages: [.user("Hello")], functions: functions, options: nil))
                ?? .max
        }
        guard !tools.isEmpty, await tokens(tools.count) > runner.contextSize / 2 else { return tools }
        var (least, most) = (0, tools.count)
        while most - least > 1 {
            let middle = (least + most) / 2
            if await tokens(middle) <= runner.contextSize / 2 { least = middle } else { most = middle }
        }
        let left = tools.count - least
        console.note(
            "The last \(left) of \(tools.count) tools are left out: their descriptions would take more than half of the "
                + "context. Use --context, or --deny SERVER.TOOL for others.")
        return Array(tools.prefix(least))
    }
}
