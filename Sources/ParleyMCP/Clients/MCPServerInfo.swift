// SPDX-License-Identifier: Apache-2.0

import ParleyJSON
import ParleySystem

/// What a server says about itself. All of its text is untrusted.
public struct MCPServerInfo: Hashable, Sendable {
    /// The name.
    public var name: String
    /// The version.
    public var version: String
    /// How to use the server, for the model to read.
    public var instructions: String?
    /// The revision of the protocol that was agreed on.
    public var revision: MCPRevision
    /// Whether it has tools.
    public var hasTools: Bool
    /// Whether it has resources.
    public var hasResources: Bool
    /// Whether it has prompts.
    public var hasPrompts: Bool

    init(_ result: JSONValue, revision: MCPRevision) {
        let info = result["serverInfo"] ?? result["_meta"]?["io.modelcontextprotocol/serverInfo"]
        name = UntrustedText.line(info?["name"]?.string ?? "")
        version = UntrustedText.line(info?["version"]?.string ?? "")
        instructions = result["instructions"]?.string.map { UntrustedText.cut($0, to: 4_000) }
        self.revision = revision
        let capabilities = result["capabilities"]
        hasTools = capabilities?["tools"]?.object != nil
        hasResources = capabilities?["resources"]?.object != nil
        hasPrompts = capabilities?["prompts"]?.object != nil
    }
}

/// Bounds texts of servers, and leaves out what acts on the place where they are shown and what only a model would read.
enum UntrustedText {
    /// A text in one line of at most 200 characters.
    static func line(_ text: String) -> String { PlainText.line(text, upTo: 200) }

    /// A text of at most so many characters.
    static func cut(_ text: String, to limit: Int) -> String {
        // Characters may be of any length; what is looked at is bounded first.
        let bounded = PlainText.clean(
            text.utf8.count > 16 * limit ? String(text.unicodeScalars.prefix(4 * limit)) : text)
        return bounded.count > limit ? String(bounded.prefix(limit)) + "…" : bounded
    }

    /// A schema whose descriptions are cleaned. Names, patterns and values stay as they are, since calls have to give them.
    static func schema(_ json: JSONValue, isProse: Bool = false) -> JSONValue {
        switch json {
        case .string(let text): return .string(isProse ? PlainText.clean(text) : text)
        case .array(let values): return .array(values.map { schema($0) })
        case .object(var members):
            for (name, value) in members { members[name] = schema(value, isProse: prose.contains(name)) }
            return .object(members)
        default: return json
        }
    }

    private static let prose: Set = ["title", "description", "$comment"]
}
