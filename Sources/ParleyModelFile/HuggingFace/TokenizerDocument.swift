// SPDX-License-Identifier: Apache-2.0

import ParleyJSON
import ParleyTokenizer

/// A `tokenizer.json` of the `tokenizers` library.
///
/// What a description cannot say exactly is refused by its name.
struct TokenizerDocument {
    /// The ids of the tokens by their texts.
    private(set) var ids: [String: TokenID] = [:]
    private let document: JSONValue
    private let fileName: String

    init(_ document: JSONValue, fileName: String) {
        self.document = document
        self.fileName = fileName
    }

    /// The tokenizer.
    mutating func description() throws(ModelFileError) -> TokenizerDescription {
        let model = document["model"] ?? .null
        guard model["type"]?.string ?? "BPE" == "BPE", let vocabulary = model["vocab"]?.object else {
            throw unsupported("the model \(Self.excerpt(model["type"]))")
        }
        let preTokenizer = try preTokenizerName(ignoresMerges: model["ignore_merges"]?.bool ?? false)
        let tokens = try tokens(vocabulary)
        let affixes = try textAffixes()
        return TokenizerDescription(
            algorithm: .bytePairEncoding(preTokenizer: preTokenizer), tokens: tokens,
            merges: try merges(model["merges"]),
            beginningOfText: affixes.before, unknown: model["unk_token"]?.string.flatMap { ids[$0] },
            addsBeginningOfText: affixes.before != nil, addsEndOfText: affixes.after != nil)
    }

    /// The metadata of a GGUF file for the tokenizer.
    func entries(for description: TokenizerDescription) -> [GGUFEntry] {
        guard case .bytePairEncoding(let preTokenizer) = description.algorithm else { return [] }
        var entries = [
            GGUFEntry("tokenizer.ggml.model", .string("gpt2")),
            GGUFEntry("tokenizer.ggml.pre", .string(preTokenizer)),
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

    // MARK: Parts

    private mutating func tokens(_ vocabulary: JSONObject) throws(ModelFileError) -> [TokenizerDescription.Token] {
        let added = document["added_tokens"]?.array ?? []
        let most = vocabulary.count + added.count
        var tokens = [TokenizerDescription.Token?](repeating: nil, count: most)
        for (text, value) in vocabulary {
            // Ids that a model leaves out are few, and become tokens that nothing spells.
            guard let id = value.integer, (0..<most + 65_536).contains(id) else {
                throw invalid("has a token without id")
            }
            if id >= tokens.count { tokens += Array(repeating: nil, count: id + 1 - tokens.count) }
            guard tokens[id] == nil else { throw invalid("has two tokens of the id \(id)") }
            tokens[id] = .init(text: text)
            ids[text] = TokenID(id)
        }
        for token in added {
            guard let text = token["content"]?.string, let id = token["id"]?.integer,
                (0..<most + 65_536).contains(id), !text.isEmpty
            else { throw invalid("has an added token without text or id") }
            for key in ["single_word", "lstrip", "rstrip"] where token[key]?.bool == true {
                throw unsupported("the added token \(Self.excerpt(token["content"])) with “\(key)”")
            }
            if id >= tokens.count { tokens += Array(repeating: nil, count: id + 1 - tokens.count) }
            guard ids[text] ?? TokenID(id) == TokenID(id), tokens[id]?.text ?? text == text else {
                throw invalid("has two tokens of the id \(id)")
            }
            tokens[id] = .init(text: text, kind: token["special"]?.bool == true ? .control : .userDefined)
            ids[text] = TokenID(id)
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
            case "TemplateProcessing":
                var isBefore = true
                for piece in part["single"]?.array ?? [] {
                    if piece["Sequence"] != nil {
                        guard isBefore else { throw unsupported("a post-processor that repeats the text") }
                        isBefore = false
                    } else if let name = piece["SpecialToken"]?["id"]?.string {
                        guard let id = ids[name], (isBefore ? affixes.before : affixes.after) == nil else {
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

    /// The name that llama.cpp has for the pre-tokenizer.
    private func preTokenizerName(ignoresMerges: Bool) throws(ModelFileError) -> String {
        if let normalizer = document["normalizer"], !normalizer.isNull {
            throw unsupported("the normaliser \(Self.excerpt(normalizer["type"]))")
        }
        let first = document["pre_tokenizer"] ?? .null
        let steps = first["pretokenizers"]?.array ?? [first]
        guard let last = steps.last, last["type"]?.string == "ByteLevel", last["add_prefix_space"]?.bool == false else {
            throw unsupported("the pre-tokenizer \(Self.excerpt(steps.last?["type"]))")
        }
        let splitsWords = last["use_regex"]?.bool ?? true
        guard steps.count == 2 || splitsWords && steps.count == 1 else { throw unsupported("the pre-tokenizer") }
        if steps.count == 1 { return "gpt-2" }
        let step = steps[0]
        switch (step["type"]?.string, splitsWords) {
        case ("Digits", true) where step["individual_digits"]?.bool == true && !ignoresMerges: return "smollm"
        case ("Split", false):
            guard step["behavior"]?.string == "Isolated", step["invert"]?.bool != true,
                let pattern = step["pattern"]?["Regex"]?.string
            else { break }
            if pattern == Self.llama3 { return ignoresMerges ? "llama-bpe" : "dbrx" }
            if pattern == Self.qwen2, !ignoresMerges { return "qwen2" }
        default: break
        }
        throw unsupported("the pre-tokenizer \(Self.excerpt(step["pattern"]?["Regex"] ?? step["type"]))")
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
