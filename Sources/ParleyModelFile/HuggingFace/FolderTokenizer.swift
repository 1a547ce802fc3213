// SPDX-License-Identifier: Apache-2.0

import ParleyJSON
import ParleyTokenizer

/// The tokenizer of a folder: as a description, and as metadata of a GGUF file.
struct FolderTokenizer {
    let description: TokenizerDescription
    let entries: [GGUFEntry]

    /// Reads `tokenizer.json`, and what the other files add to it.
    ///
    /// - Parameters:
    ///   - folder: the folder.
    ///   - config: the whole `config.json`.
    ///   - generation: `generation_config.json`, if there is one.
    ///   - rows: the number of tokens that the network knows, which may be larger than the vocabulary.
    /// - Throws: ``ModelFileError``.
    init(
        contentsOf folder: FolderLocation, config: FolderConfiguration, generation: FolderConfiguration?, rows: Int
    ) throws(ModelFileError) {
        guard rows <= MetadataValue.mostElements else { throw config.unsupported("the network has \(rows) tokens") }
        guard let document = try FolderDocument("tokenizer.json", in: folder) else {
            throw ModelFileError(
                .unsupportedTokenizer,
                "\(folder.name): there is no tokenizer.json. Make one by loading and saving the tokenizer with "
                    + "transformers, or use a GGUF file of this model.")
        }
        let settingsFile = try FolderDocument("tokenizer_config.json", in: folder)
        let settings = FolderConfiguration(
            try settingsFile?.json() ?? [:], fileName: settingsFile?.name ?? folder.name)
        var reading = TokenizerDocument(try document.json(FolderDocument.vocabulary), fileName: document.name)
        var description = try reading.description()
        let names = try FolderSpecialTokens(
            tokens: reading.ids, rows: rows, settings: settings, config: config, generation: generation)
        description.endOfText = names.endOfText ?? description.endOfText
        description.beginningOfText = description.beginningOfText ?? names.beginningOfText
        description.unknown = description.unknown ?? names.unknown
        description.endOfTurn = names.furtherEnds.first
        description.endOfMessage = names.furtherEnds.dropFirst().first
        description.fillInMiddleEnds = Array(names.furtherEnds.dropFirst(2))
        while description.tokens.count < rows {
            description.tokens.append(.init(text: "[PAD\(description.tokens.count)]", kind: .unused))
        }
        self.description = description
        entries =
            reading.entries(for: description)
            + (names.padding.map { [GGUFEntry("tokenizer.ggml.padding_token_id", .uint32(UInt32($0)))] } ?? [])
            + (try Self.templates(in: folder, settings))
    }

    /// The template that turns messages into a prompt; nil if the folder has none.
    var chatTemplate: String? {
        for entry in entries where entry.key == "tokenizer.chat_template" {
            if case .string(let text) = entry.value { return text }
        }
        return nil
    }

    /// The chat templates: `chat_template.jinja`, otherwise those of `tokenizer_config.json`.
    private static func templates(
        in folder: FolderLocation, _ settings: FolderConfiguration
    ) throws(ModelFileError) -> [GGUFEntry] {
        if let file = try FolderDocument("chat_template.jinja", in: folder) {
            return [GGUFEntry("tokenizer.chat_template", .string(try file.text()))]
        }
        if let text = settings["chat_template"]?.string { return [GGUFEntry("tokenizer.chat_template", .string(text))] }
        var entries: [GGUFEntry] = []
        for template in settings["chat_template"]?.array ?? [] {
            guard let name = template["name"]?.string, let text = template["template"]?.string,
                !name.isEmpty, name.utf8.count <= 64,
                name.utf8.allSatisfy({
                    $0 == UInt8(ascii: "_") || (0x61...0x7A).contains($0 | 0x20) || $0 & 0xF0 == 0x30
                }),
                !entries.contains(where: { $0.key.hasSuffix(".\(name)") })
            else { throw settings.invalid("chat_template", "has a template without name or text") }
            let key = name == "default" ? "tokenizer.chat_template" : "tokenizer.chat_template.\(name)"
            entries.append(GGUFEntry(key, .string(text)))
        }
        return entries
    }
}

/// The tokens that have a purpose, as the files beside `tokenizer.json` name them.
struct FolderSpecialTokens {
    private(set) var beginningOfText: TokenID?
    private(set) var endOfText: TokenID?
    private(set) var unknown: TokenID?
    private(set) var padding: TokenID?
    /// The tokens that end a reply besides ``endOfText``.
    private(set) var furtherEnds: [TokenID] = []

    /// Finds the tokens, of which `tokens` has the ids by their texts.
    ///
    /// - Throws: ``ModelFileError`` with code `invalidValue` if the token that begins or ends texts is none of them: replies
    ///   would not end.
    init(
        tokens: [ExactText: TokenID], rows: Int, settings: FolderConfiguration, config: FolderConfiguration,
        generation: FolderConfiguration?
    ) throws(ModelFileError) {
        let count = max(rows, tokens.values.max().map { Int($0) + 1 } ?? 0)
        for role in ["bos", "eos"] {
            guard let text = Self.text(of: role, settings), tokens[ExactText(text)] == nil else { continue }
            throw ModelFileError(
                .invalidValue,
                "\(settings.fileName): “\(role)_token” is \(String(reflecting: String(text.prefix(40)))), which "
                    + "tokenizer.json does not have. The files do not belong together; download both again.")
        }
        for file in [config, generation].compactMap(\.self) {
            let value = file["eos_token_id"]
            for id in (value?.array ?? value.map { [$0] } ?? []).compactMap(\.integer)
            where !(0..<count).contains(id) {
                throw ModelFileError(
                    .invalidValue,
                    "\(file.fileName): “eos_token_id” is \(id), but there are \(count) tokens. Replies would not end; "
                        + "download the files again.")
            }
        }
        func ids(_ source: FolderConfiguration?, _ key: String) -> [TokenID] {
            let value = source?[key]
            return (value?.array ?? value.map { [$0] } ?? []).compactMap(\.integer)
                .filter { (0..<max(count, 1)).contains($0) }.map { TokenID($0) }
        }
        func named(_ role: String) -> TokenID? {
            Self.text(of: role, settings).flatMap { tokens[ExactText($0)] } ?? ids(config, "\(role)_token_id").first
        }
        beginningOfText = named("bos")
        unknown = named("unk")
        padding = named("pad")
        let ends = ids(generation, "eos_token_id") + ids(config, "eos_token_id")
        endOfText = named("eos") ?? ends.first
        for id in ends where id != endOfText && !furtherEnds.contains(id) { furtherEnds.append(id) }
    }

    /// The text of a token with a purpose; nil if the file names none.
    private static func text(of role: String, _ settings: FolderConfiguration) -> String? {
        let value = settings["\(role)_token"]
        return value?.string ?? value?["content"]?.string
    }
}
