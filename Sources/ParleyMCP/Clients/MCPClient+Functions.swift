// SPDX-License-Identifier: Apache-2.0

public import ParleyConversation
import ParleyJSON

extension MCPClient {
    /// The server's tools as functions of a conversation, each named after the server and the tool.
    ///
    /// They join a conversation as any other function does, under the same consent: ``FunctionLoop`` asks for each call
    /// before it is made. Descriptions and results are untrusted text.
    ///
    /// - Parameter timeout: how long a call may take; nil for ``MCPLimits/request``.
    /// - Returns: the tools, in the server's order.
    /// - Throws: ``MCPError``, or `CancellationError`.
    public func functionTools(timeout: Duration? = nil) async throws -> [FunctionTool] {
        var names = FunctionNames(prefix: name)
        return try await tools().map { tool in
            let function = Function(
                name: names.name(for: tool.name), description: tool.description,
                parameters: JSONSchema(tool.inputSchema))
            return FunctionTool(function) { [self] call in
                let result = try await self.call(tool.name, arguments: call.arguments, timeout: timeout)
                return result.text(upTo: limits.resultCharacters)
            }
        }
    }
}

/// Names for functions: letters, digits, `_` and `-`, at most 64 of them, each name once.
package struct FunctionNames {
    private let prefix: String
    private var taken: Set<String> = []

    /// Creates names that begin with a prefix.
    package init(prefix: String) { self.prefix = String(Self.plain(prefix).prefix(24)) }

    /// A name for a tool.
    package mutating func name(for tool: String) -> String {
        let base = String("\(prefix)__\(Self.plain(tool))".prefix(60))
        var name = base
        var number = 2
        while !taken.insert(name).inserted {
            name = "\(base)_\(number)"
            number += 1
        }
        return name
    }

    private static func plain(_ name: String) -> String {
        String(
            String.UnicodeScalarView(
                name.unicodeScalars.prefix(64).map { scalar in
                    scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || scalar == "-")
                        ? scalar : "_"
                }))
    }
}
