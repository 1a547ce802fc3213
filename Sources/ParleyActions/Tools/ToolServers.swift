// SPDX-License-Identifier: Apache-2.0

public import ParleyAssistant
import ParleyConversation
public import ParleyHTTP
public import ParleyMCP

/// The tools of other programs that a user has set up, over the Model Context Protocol.
///
/// Connections last until ``close()``. What the servers say about their tools is shown to the model without the
/// beginnings of blocks; who connects a server trusts these descriptions. What the tools answer is untrusted.
public struct ToolServers: Sendable {
    /// A server that is connected.
    public struct Server: Sendable {
        /// The name, as the settings give it.
        public var name: String
        /// The tools that are not denied.
        public var tools: [MCPTool]
        /// The prompts.
        public var prompts: [MCPPrompt]
        /// The resources.
        public var resources: [MCPResource]
    }

    /// The servers that answered, in the order of the settings.
    public private(set) var servers: [Server] = []
    /// Their tools, for a chat.
    public private(set) var tools: [AssistantTool] = []
    /// The servers that are left out, a sentence for each.
    public private(set) var problems: [String] = []
    private var clients: [MCPClient] = []

    /// The usual limits of a chat: a server that does not start soon is left out, and long answers are cut.
    public static var usualLimits: MCPLimits {
        var limits = MCPLimits()
        limits.connecting = .seconds(15)
        limits.resultCharacters = 16_000
        return limits
    }

    /// Connects servers, side by side. One that cannot be connected is left out and named in ``problems``.
    ///
    /// - Parameters:
    ///   - settings: the servers.
    ///   - denied: tools that are left out, as ``ToolName`` describes them: `files.write_file`.
    ///   - environment: the variables that the settings may name.
    ///   - limits: the limits of each connection.
    public init(
        connecting settings: MCPSettings, denying denied: Set<String> = [], environment: ProcessEnvironment = .process,
        limits: MCPLimits = ToolServers.usualLimits
    ) async {
        let opened = await withTaskGroup(of: (Int, Opened).self) { group in
            for (index, server) in settings.servers.enumerated() {
                group.addTask { (index, await Opened(server, environment, limits)) }
            }
            return await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
        }
        var taken: Set<String> = []
        for opened in opened {
            guard let client = opened.client, var server = opened.server else {
                problems.append(opened.problem ?? "")
                continue
            }
            server.tools.removeAll { denied.contains("\(server.name).\($0.name)") }
            clients.append(client)
            var names = FunctionNames(prefix: server.name)
            for tool in server.tools {
                var name = names.name(for: tool.name)
                // Two servers may have names that are the same in letters and digits.
                while !taken.insert(name).inserted { name += "_" }
                tools.append(Self.tool(tool, name, client))
            }
            servers.append(server)
        }
    }

    private static func tool(_ tool: MCPTool, _ name: String, _ client: MCPClient) -> AssistantTool {
        let function = Function(
            name: name, description: ActionTag.defusing(tool.description), parameters: JSONSchema(tool.inputSchema))
        return AssistantTool(ToolName(server: client.name, tool: tool.name), function) { arguments in
            do {
                let result = try await client.call(tool.name, arguments: arguments)
                return result.text(upTo: client.limits.resultCharacters)
            } catch let error as MCPError {
                let code: AssistantError.Code = error.code == .invalidMessage ? .invalidAnswer : .storeUnavailable
                throw AssistantError(code, error.message, cause: error)
            }
        }
    }

    /// Ends the connections, and the servers that are programs of this machine.
    public func close() async {
        await withTaskGroup(of: Void.self) { group in
            for client in clients { group.addTask { await client.close() } }
        }
    }
}

/// What became of connecting a server.
private struct Opened: Sendable {
    var client: MCPClient?
    var server: ToolServers.Server?
    var problem: String?

    init(_ settings: MCPServerSettings, _ environment: ProcessEnvironment, _ limits: MCPLimits) async {
        do {
            let client = try settings.client(environment: environment, limits: limits)
            let info = try await client.connect()
            do {
                server = ToolServers.Server(
                    name: settings.name, tools: info.hasTools ? try await client.tools() : [],
                    prompts: info.hasPrompts ? try await client.prompts() : [],
                    resources: info.hasResources ? try await client.resources() : [])
                self.client = client
            } catch {
                await client.close()
                throw error
            }
        } catch {
            problem = "The server \(settings.name) is left out. \((error as? MCPError)?.message ?? "It was stopped.")"
        }
    }
}
