// SPDX-License-Identifier: Apache-2.0

/// Which tool of another program is meant.
public struct ToolName: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The name of the program that has it.
    public var server: String
    /// The name by which the program knows it.
    public var tool: String

    /// Names a tool.
    public init(server: String, tool: String) { (self.server, self.tool) = (server, tool) }

    /// Both names: `files.read_file`.
    public var description: String { "\(server).\(tool)" }
}
