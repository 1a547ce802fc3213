// SPDX-License-Identifier: Apache-2.0

extension GGUFFile {
    /// The Jinja template that turns messages into a prompt; nil if the file has none.
    public var chatTemplate: String? { metadata["tokenizer.chat_template"]?.string }

    /// The names of additional templates, such as `tool_use`, in the order of the file.
    public var chatTemplateNames: [String] {
        metadata.keys.filter { $0.hasPrefix(Self.namedTemplatePrefix) }
            .map { String($0.dropFirst(Self.namedTemplatePrefix.count)) }
    }

    /// The additional template with a given name; nil if the file has none.
    public func chatTemplate(named name: String) -> String? {
        metadata[Self.namedTemplatePrefix + name]?.string
    }

    private static let namedTemplatePrefix = "tokenizer.chat_template."

    /// Throws an error if a template is too long to be decoded; it must not count as missing, or another template would
    /// be used in its place.
    static func checkTemplates(_ metadata: Metadata) throws(ModelFileError) {
        for key in metadata.keys where key == "tokenizer.chat_template" || key.hasPrefix(namedTemplatePrefix) {
            if metadata[key]?.type == .string { _ = try metadata.read(key, "text") { $0.isDecodable ? $0 : nil } }
        }
    }
}
