// SPDX-License-Identifier: Apache-2.0

import ParleyJSON
package import ParleyTokenizer

/// A `tokenizer.json` of the `tokenizers` library.
///
/// What a description cannot say exactly is refused by its name.
struct TokenizerDocument {
    /// The ids of the tokens by their texts.
    private(set) var ids: [ExactText: TokenID] = [:]
    private let document: JSONValue
    private let fileName: String

    init(_ document: JSONValue, fileName: String) {
        self.document = document
        self.fileName = fileName
    }

    /// The tokenizer.
    mutating func description() throws(ModelFileError) -> TokenizerDescription {
        let model = document["model"] ?? .null
        let tokens = try tokens(model["vocab"] ?? .null)
        let merges = try merges(model["merges"])
        let affixes = try textAffixes()
        var description = TokenizerDescription(
            algorithm: .wordPiece, tokens: tokens, merges: merges, beginningOfText: affixes.before,
            unknown: model["unk_token"]?.string.flatMap { ids[ExactText($0)] },
            addsBeginningOfText: affixes.before != nil, addsEndOfText: affixes.after != nil)
        description.endOfText = affixes.after
        let name = preTokenizerName
        if let name, isPlain {
            description.algorithm = .bytePairEncoding(preTokenizer: name)
        } else {
            let parts = TokenizerDocumentParts(document, ids: ids, fileName: fileName)
            description.algorithm = .pipeline(try parts.pipeline())
        }
        return description
    }

    /// The metadata of a GGUF file for the tokenizer. One without a form in GGUF has a name there that no program knows.
    func entries(for description: TokenizerDescription) -> [GGUFEntry] {
        if isWordPiece { return wordPieceEntries(for: description) }
        let name = preTokenizerName
        var entries = [
            GGUFEntry("tokenizer.ggml.model", .string(name == nil ? GGUFConversion.tokenizerWithoutForm : "gpt2"))
        ]
        if let name { entries.append(GGUFEntry("tokenizer.ggml.pre", .string(name))) }
        entries += [
            GGUFEntry("tokenizer.ggml.tokens", .strings(description.tokens.map(\.text))),
            GGUFEntry("tokenizer.ggml.token_type", .integers(description.tokens.map(\.kind.rawValue))),
            GGUFEntry("tokenizer.ggml.merges", .strings(description.merges)),
        ]
        let roles = [
            ("bos", description.beginningOfText), ("eos", description.endOfText), ("unknown", description.unknown),
            ("eot", description.endOfTurn), ("eom", description.endOfMessage),
        ]
        for case (let role, .some(let id)) in roles {
            entries.append(GGUFEntry("tokenizer.ggml.\(role)_token_id", .uint32(UInt32(id))))
        }
        entries.append(GGUFEntry("tokenizer.ggml.add_bos_token", .bool(description.addsBeginningOfText ?? false)))
        entries.append(GGUFEntry("tokenizer.ggml.add_eos_token", .bool(description.addsEndOfText ?? false)))
        return entries
    }

    /// Whether the tokenizer is that of BERT in lower case, the only WordPiece that GGUF files have.
    private var isWordPiece: Bool {
        let model = document["model"] ?? .null
        let normalizer = document["normalizer"] ?? .null
        return model["type"]?.string == "WordPiece" && model["continuing_subword_prefix"]?.string ?? "##" == "##"
            && normalizer["type"]?.string == "BertNormalizer" && normalizer["lowercase"]?.bool ?? true
            && normalizer["clean_text"]?.bool ?? true && normalizer["handle_chinese_chars"]?.bool ?? true
            && normalizer["strip_accents"]?.bool ?? true
            && document["pre_tokenizer"]?["type"]?.string == "BertPreTokenizer"
    }

    /// The metadata for BERT's tokenizer: tokens that begin words have a mark, and those that go on have none.
    private func wordPieceEntries(for description: TokenizerDescription) -> [GGUFEntry] {
        let texts = description.tokens.map { token in
            guard token.kind == .normal else { return token.text }
            // By bytes: a vowel sign after `##` is one character with the second of them.
            guard token.text.utf8.starts(with: "##".utf8) else { return "▁" + token.text }
            return String(Substring(token.text.utf8.dropFirst(2)))
        }
        var entries = [
            GGUFEntry("tokenizer.ggml.model", .string("bert")), GGUFEntry("tokenizer.ggml.pre", .string("default")),
            GGUFEntry("tokenizer.ggml.tokens", .strings(texts)),
            GGUFEntry("tokenizer.ggml.token_type", .integers(description.tokens.map(\.kind.rawValue))),
        ]
        // “seperator” is how the format spells it.
        let roles = [
            ("bos", description.beginningOfText), ("cls", description.beginningOfText),
            ("seperator", description.endOfText), ("unknown", description.unknown), ("mask", ids["[MASK]"]),
        ]
        for case (let role, .some(let id)) in roles {
            entries.append(GGUFEntry("tokenizer.ggml.\(role)_token_id", .uint32(UInt32(id))))
        }
        return entries
    }

    // MARK: Parts

    private mutating func tokens(_ vocabulary: JSONValue) throws(ModelFileError) -> [TokenizerDescription.Token] {
        let added = document["added_tokens"]?.array ?? []
        let count = vocabulary.object?.count ?? vocabulary.array?.count ?? 0
        guard count > 0 else { throw invalid("has no vocabulary") }
        // Ids that a model leaves out are few, and become tokens that nothing spells.
        let most = count + added.count + 65_536
        var tokens = [TokenizerDescription.Token?](repeating: nil, count: count)
        func insert(_ text: String, _ id: Int?) throws(ModelFileError) {
            guard let id, (0..<most).contains(id) else { throw invalid("has a token without id") }
            if id >= tokens.count { tokens += Array(repeating: nil, count: id + 1 - tokens.count) }
            guard tokens[id] == nil else { throw invalid("has two tokens of the id \(id)") }
            tokens[id] = .init(text: text)
        }
        if let entries = vocabulary.array {
            for (id, entry) in entries.enumerated() {
                guard let text = entry[0]?.string else { throw invalid("has a token without text") }
                try insert(text, id)
                // Of several of the same text the last one counts.
                ids[ExactText(text)] = TokenID(id)
            }
        } else {
            for (text, value) in vocabulary.object ?? [:] {
                try insert(text, value.integer)
                ids[ExactText(text)] = value.integer.map { TokenID($0) }
            }
        }
        for token in added {
            guard let text = token["content"]?.string, let id = token["id"]?.integer,
                (0..<most).contains(id), !text.isEmpty
            else { throw invalid("has an added token without text or id") }
            if id >= tokens.count { tokens += Array(repeating: nil, count: id + 1 - tokens.count) }
            guard ids[ExactText(text)] ?? TokenID(id) == TokenID(id), tokens[id]?.text.isExactly(text) ?? true else {
                throw invalid("has two tokens of the id \(id)")
            }
            tokens[id] = .init(text: text, kind: token["special"]?.bool == true ? .control : .userDefined)
            ids[ExactText(text)] = TokenID(id)
        }
        while let last = tokens.last, last == nil { tokens.removeLast() }
        return tokens.enumerated().map { id, token in token ?? .init(text: "[PAD\(id)]", kind: .unused) }
    }

    /// The merges, in either of the two forms that files have.
    private func merges(_ value: JSONValue?) throws(ModelFileError) -> [String] {
        var merges: [String] = []
        let elements = value?.array ?? []
        merges.reserveCapacity(elements.count)
        for element in elements {
            if let text = element.string {
                guard text.utf8.filter({ $0 == 0x20 }).count == 1 else { throw invalid("has a merge that is no pair") }
                merges.append(text)
            } else {
                guard let left = element[0]?.string, let right = element[1]?.string, element.array?.count == 2,
                    !left.isEmpty, !right.isEmpty
                else { throw invalid("has a merge that is no pair") }
                guard !left.utf8.contains(0x20), !right.utf8.contains(0x20) else {
                    throw unsupported("a merge of texts with spaces")
                }
                merges.append("\(left) \(right)")
            }
        }
        return merges
    }

    /// The tokens that the post-processor puts before and after a text.
    private func textAffixes() throws(ModelFileError) -> (before: TokenID?, after: TokenID?) {
        let processor = document["post_processor"] ?? .null
        var affixes: (before: TokenID?, after: TokenID?) = (nil, nil)
        for part in processor["processors"]?.array ?? (processor.isNull ? [] : [processor]) {
            switch part["type"]?.string {
            case "ByteLevel": continue
            case "BertProcessing", "RobertaProcessing":
                guard let before = part["cls"]?[0]?.string.flatMap({ ids[ExactText($0)] }),
                    let after = part["sep"]?[0]?.string.flatMap({ ids[ExactText($0)] })
                else { throw invalid("has a post-processor without its tokens") }
                affixes = (before, after)
            case "TemplateProcessing":
                var isBefore = true
                for piece in part["single"]?.array ?? [] {
                    if piece["Sequence"] != nil {
                        guard isBefore else { throw unsupported("a post-processor that repeats the text") }
                        isBefore = false
                    } else if let name = piece["SpecialToken"]?["id"]?.string {
                        guard let id = ids[ExactText(name)], (isBefore ? affixes.before : affixes.after) == nil else {
                            throw unsupported("a post-processor with several tokens beside the text")
                        }
                        if isBefore { affixes.before = id } else { affixes.after = id }
                    }
                }
            default: throw unsupported("the post-processor \(Self.excerpt(part["type"]))")
            }
        }
        return affixes
    }

    /// Whether the engine's own tokenizer does the same: nothing is normalised, and no token takes the space beside it.
    private var isPlain: Bool {
        let model = document["model"] ?? .null
        let flags = ["single_word", "lstrip", "rstrip"]
        let added = document["added_tokens"]?.array ?? []
        return document["normalizer"]?.isNull ?? true && model["unk_token"]?.isNull ?? true
            && !added.contains { token in flags.contains { token[$0]?.bool == true } }
    }

    /// The name that llama.cpp has for the pre-tokenizer; nil if it has none. As there, NFC is not counted.
    private var preTokenizerName: String? {
        let model = document["model"] ?? .null
        let options = ["continuing_subword_prefix", "end_of_word_suffix", "dropout"]
        guard model["type"]?.string ?? "BPE" == "BPE", model["merges"] != nil,
            !options.contains(where: { !(model[$0]?.isNull ?? true) && model[$0]?.string != "" }),
            model["byte_fallback"]?.bool != true,
            ["", "NFC"].contains(document["normalizer"]?["type"]?.string ?? "")
        else { return nil }
        let ignoresMerges = model["ignore_merges"]?.bool ?? false
        let first = document["pre_tokenizer"] ?? .null
        let steps = first["pretokenizers"]?.array ?? [first]
        guard let last = steps.last, last["type"]?.string == "ByteLevel", last["add_prefix_space"]?.bool == false else {
            return nil
        }
        let splitsWords = last["use_regex"]?.bool ?? true
        if steps.count == 1, splitsWords, !ignoresMerges { return "gpt-2" }
        guard steps.count == 2 else { return nil }
        switch (steps[0]["type"]?.string, splitsWords) {
        case ("Digits", true) where steps[0]["individual_digits"]?.bool == true && !ignoresMerges: return "smollm"
        case ("Split", false):
            guard steps[0]["behavior"]?.string == "Isolated", steps[0]["invert"]?.bool != true else { return nil }
            let pattern = steps[0]["pattern"]?["Regex"]?.string
            if pattern == Self.llama3 { return ignoresMerges ? "llama-bpe" : "dbrx" }
            return pattern == Self.qwen2 && !ignoresMerges ? "qwen2" : nil
        default: return nil
        }
    }

    private static let llama3 =
        #"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"#
    private static let qwen2 =
        #"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"#

    // MARK: Errors

    private static func excerpt(_ value: JSONValue?) -> String {
        String(reflecting: String((value?.string ?? "").prefix(80)))
    }

    private func unsupported(_ what: String) -> ModelFileError {
        ModelFileError(
            .unsupportedTokenizer, "\(fileName): \(what) is not supported. Use a GGUF file of this model.")
    }

    private func invalid(_ what: String) -> ModelFileError {
        ModelFileError(.invalidValue, "\(fileName): the file \(what). Download it again.")
    }
}

extension TokenizerDescription {
    /// Reads a `tokenizer.json` alone, without what the other files of a folder add.
    ///
    /// - Parameters:
    ///   - document: the file's bytes.
    ///   - name: the file's name in messages.
    /// - Throws: ``ModelFileError``, with code `unsupportedTokenizer` for what no description can say.
    package init(tokenizerDocument document: [UInt8], name: String = "tokenizer.json") throws(ModelFileError) {
        let value: JSONValue
        do {
            value = try JSONValue(parsing: document, limits: FolderDocument.vocabulary)
        } catch {
            throw ModelFileError(.corrupt, "\(name): \(error) Download the file again.", cause: error)
        }
        var reading = TokenizerDocument(value, fileName: name)
        self = try reading.description()
    }
}
