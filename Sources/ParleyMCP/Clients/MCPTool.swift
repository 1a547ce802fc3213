// SPDX-License-Identifier: Apache-2.0

public import ParleyJSON

/// A tool of a server. All of its text is untrusted.
public struct MCPTool: Hashable, Sendable {
    /// The name by which the server knows it.
    public var name: String
    /// The name for people.
    public var title: String?
    /// What it does, for the model to read.
    public var description: String
    /// The schema of its arguments, an object.
    public var inputSchema: JSONValue
    /// Whether the server says that it only reads. A hint of the server's, which no decision may rest on.
    public var claimsToOnlyRead: Bool

    /// Creates a tool.
    public init(
        name: String, title: String? = nil, description: String = "", inputSchema: JSONValue = ["type": "object"],
        claimsToOnlyRead: Bool = false
    ) {
        (self.name, self.title, self.description) = (name, title, description)
        (self.inputSchema, self.claimsToOnlyRead) = (inputSchema, claimsToOnlyRead)
    }

    /// Reads an entry of a list; nil if it has no usable name.
    init?(_ json: JSONValue) {
        guard let name = json["name"]?.string, !name.isEmpty, name.utf8.count <= 256 else { return nil }
        let annotations = json["annotations"]
        let schema = json["inputSchema"].flatMap { $0["type"]?.string == "object" ? $0 : nil }
        self.init(
            name: name, title: (json["title"] ?? annotations?["title"])?.string.map(UntrustedText.line),
            description: UntrustedText.cut(json["description"]?.string ?? "", to: 4_000),
            inputSchema: schema.map { UntrustedText.schema($0) } ?? ["type": "object"],
            claimsToOnlyRead: annotations?["readOnlyHint"]?.bool ?? false)
    }
}

/// A resource of a server: something that can be read, or a template of such. All of its text is untrusted.
public struct MCPResource: Hashable, Sendable {
    /// The identifier by which it is read.
    public var uri: String
    /// The name.
    public var name: String
    /// What it is, for the model to read.
    public var description: String?
    /// The media type.
    public var mimeType: String?
    /// The size in bytes.
    public var size: Int?

    init?(_ json: JSONValue) {
        guard let uri = json["uri"]?.string, !uri.isEmpty, uri.utf8.count <= 4_096 else { return nil }
        self.uri = uri
        name = UntrustedText.line((json["title"] ?? json["name"])?.string ?? uri)
        description = json["description"]?.string.map { UntrustedText.cut($0, to: 4_000) }
        mimeType = json["mimeType"]?.string.map(UntrustedText.line)
        size = json["size"]?.integer.flatMap { $0 >= 0 ? $0 : nil }
    }
}

/// A prompt of a server: messages that a person chooses to begin with. All of its text is untrusted.
public struct MCPPrompt: Hashable, Sendable {
    /// An argument of a prompt.
    public struct Argument: Hashable, Sendable {
        /// The name.
        public var name: String
        /// What it means.
        public var description: String?
        /// Whether it must be given.
        public var isRequired: Bool
    }

    /// The name by which the server knows it.
    public var name: String
    /// The name for people.
    public var title: String?
    /// What it is for.
    public var description: String?
    /// The arguments.
    public var arguments: [Argument]

    init?(_ json: JSONValue) {
        guard let name = json["name"]?.string, !name.isEmpty, name.utf8.count <= 256 else { return nil }
        self.name = name
        title = json["title"]?.string.map(UntrustedText.line)
        description = json["description"]?.string.map { UntrustedText.cut($0, to: 4_000) }
        arguments = (json["arguments"]?.array ?? []).prefix(64).compactMap { argument in
            guard let name = argument["name"]?.string, name.utf8.count <= 256 else { return nil }
            return Argument(
                name: name, description: argument["description"]?.string.map { UntrustedText.cut($0, to: 1_000) },
                isRequired: argument["required"]?.bool ?? false)
        }
    }
}
