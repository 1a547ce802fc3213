// SPDX-License-Identifier: Apache-2.0

public import ParleyJSON
import ParleySystem

/// A piece of a result, a resource or a prompt. All of it is untrusted.
public enum MCPContent: Hashable, Sendable {
    /// Text.
    case text(String)
    /// An image or a sound, as base64.
    case media(mimeType: String, base64: String)
    /// The text of a resource.
    case resource(uri: String, mimeType: String?, text: String)
    /// A resource of which there are only bytes, as base64.
    case blob(uri: String, mimeType: String?, base64: String)
    /// The address of something that can be read.
    case link(uri: String, name: String)

    /// Reads a piece of the `content` of a result or a prompt; nil for kinds that are not known.
    init?(_ json: JSONValue) {
        switch json["type"]?.string {
        case "text":
            guard let text = json["text"]?.string else { return nil }
            self = .text(text)
        case "image", "audio":
            guard let data = json["data"]?.string, let type = json["mimeType"]?.string else { return nil }
            self = .media(mimeType: UntrustedText.line(type), base64: data)
        case "resource":
            guard let resource = json["resource"], let content = MCPContent(resource: resource) else { return nil }
            self = content
        case "resource_link":
            guard let uri = json["uri"]?.string else { return nil }
            self = .link(uri: UntrustedText.line(uri), name: UntrustedText.line(json["name"]?.string ?? ""))
        default: return nil
        }
    }

    /// Reads an entry of the `contents` of a resource.
    init?(resource json: JSONValue) {
        let uri = UntrustedText.line(json["uri"]?.string ?? "")
        let type = json["mimeType"]?.string.map(UntrustedText.line)
        if let text = json["text"]?.string {
            self = .resource(uri: uri, mimeType: type, text: text)
        } else if let blob = json["blob"]?.string {
            self = .blob(uri: uri, mimeType: type, base64: blob)
        } else {
            return nil
        }
    }

    /// The piece as text for a model, without what only a model would read; what is not text is named.
    public var text: String {
        switch self {
        case .text(let text): PlainText.clean(text)
        case .media(let type, _): "[\(type), not shown]"
        case .resource(let uri, _, let text): "\(uri):\n\(PlainText.clean(text))"
        case .blob(let uri, let type, _): "[\(uri), \(type ?? "bytes"), not shown]"
        case .link(let uri, let name): "[\(name)](\(uri))"
        }
    }
}

/// The result of a tool. All of it is untrusted.
public struct MCPToolResult: Hashable, Sendable {
    /// The pieces of the result.
    public var content: [MCPContent]
    /// The result as JSON, if the server gives it so.
    public var structured: JSONValue?
    /// Whether the tool failed; the content says why.
    public var isError: Bool

    /// Creates a result.
    public init(content: [MCPContent], structured: JSONValue? = nil, isError: Bool = false) {
        (self.content, self.structured, self.isError) = (content, structured, isError)
    }

    init(_ json: JSONValue) {
        let pieces = json["content"]?.array ?? []
        content = pieces.prefix(1_000).compactMap { MCPContent($0) }
        structured = json["structuredContent"]?.unlessNull
        isError = json["isError"]?.bool ?? false
    }

    /// The result as text for a model, cut at a limit.
    public func text(upTo limit: Int) -> String {
        var text = content.map(\.text).joined(separator: "\n")
        if text.isEmpty { text = structured?.text() ?? "The tool has finished without a result." }
        return (isError ? "The tool reports an error:\n" : "") + UntrustedText.cut(text, to: limit)
    }
}

/// A message of a prompt.
public struct MCPPromptMessage: Hashable, Sendable {
    /// Whether it speaks as the model, instead of the user.
    public var isFromAssistant: Bool
    /// What it says: untrusted.
    public var content: MCPContent

    init?(_ json: JSONValue) {
        guard let content = json["content"].flatMap({ MCPContent($0) }) else { return nil }
        isFromAssistant = json["role"]?.string == "assistant"
        self.content = content
    }
}
