// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import ParleyAssistant
import ParleyConversation
package import ParleyHTTP
import ParleyMCP

/// The servers of tools of a chat, connected as far as the model can use them, and what was left out.
package struct ToolConnection: Sendable {
    /// The servers; nil if none is named, or if they cannot be used.
    package private(set) var servers: ToolServers?
    /// The tools that are offered.
    package private(set) var tools: [AssistantTool] = []
    /// What the user should know, a sentence for each thing that was left out.
    package private(set) var remarks: [String] = []

    /// Connects the servers that a file names.
    ///
    /// - Parameters:
    ///   - file: the file that the user has named; nil for the usual one, which may be missing.
    ///   - usual: the usual file.
    ///   - denied: tools that are never used.
    ///   - tags: the actions that are offered beside the tools.
    ///   - model: the model that uses them; nil if it is not known yet, so that all are offered.
    ///   - environment: the variables that the file may name.
    /// - Throws: `MCPError` if a file that the user has named cannot be read.
    package init(
        _ file: URL?, usual: URL, denying denied: Set<String>, beside tags: [ActionTag], for model: ChatModel?,
        environment: ProcessEnvironment = .process
    ) async throws {
        let settings: MCPSettings
        if let file {
            settings = try MCPSettings(contentsOf: file)
        } else if FileManager.default.fileExists(atPath: usual.path) {
            do {
                settings = try MCPSettings(contentsOf: usual)
            } catch {
                remarks.append("No tools are connected. \(error)")
                return
            }
        } else {
            return
        }
        guard !settings.servers.isEmpty else { return }
        if let model, !model.callsFunctions {
            remarks.append("\(model.runner.modelID) does not call functions, so the tools of mcp.json are left out.")
            return
        }
        let servers = await ToolServers(connecting: settings, denying: denied, environment: environment)
        (self.servers, tools) = (servers, servers.tools)
        remarks += servers.problems
        if let model { await fit(into: model, beside: tags) }
    }

    /// Leaves out the tools of which the prompt has no room: their descriptions take half of the context at most.
    private mutating func fit(into model: ChatModel, beside tags: [ActionTag]) async {
        guard let contextSize = model.contextSize else { return }
        func tokens(_ count: Int) async -> Int {
            let functions = tags.map(\.function) + tools.prefix(count).map(\.function)
            return
                (try? await model.runner.promptTokenCount(
                    messages: [.user("Hello")], functions: functions, options: nil)) ?? .max
        }
        guard !tools.isEmpty, await tokens(tools.count) > contextSize / 2 else { return }
        var (least, most) = (0, tools.count)
        while most - least > 1 {
            let middle = (least + most) / 2
            if await tokens(middle) <= contextSize / 2 { least = middle } else { most = middle }
        }
        let left = tools.count - least
        remarks.append(
            "The last \(left) of \(tools.count) tools are left out: their descriptions would take more than half of the "
                + "context. Use --context, or --deny SERVER.TOOL for others.")
        tools = Array(tools.prefix(least))
    }
}
