// SPDX-License-Identifier: Apache-2.0

import ParleyJSON
import ParleyTokenizer

/// The steps in a `tokenizer.json`, by the names that the `tokenizers` library has for them.
struct TokenizerDocumentParts {
    private let document: JSONValue
    private let ids: [ExactText: TokenID]
    private let fileName: String

    init(_ document: JSONValue, ids: [ExactText: TokenID], fileName: String) {
        self.document = document
        self.ids = ids
        self.fileName = fileName
    }

    /// All steps.
    func pipeline() throws(ModelFileError) -> TokenizerPipeline {
        let normalizers = try normalizers(document["normalizer"] ?? .null)
        let splitters = try splitters(document["pre_tokenizer"] ?? .null)
        let shortens = normalizers.contains { if case .strip(true, _) = $0 { true } else { false } }
        let looksAtStart = splitters.contains { if case .marks(_, .first, _) = $0 { true } else { false } }
        if shortens, looksAtStart { throw unsupported("the normaliser “Strip” together with “Metaspace”") }
        return TokenizerPipeline(
            normalizers: normalizers, splitters: splitters, model: try model(), addedTokens: addedTokens(),
            decoder: try decoder(document["decoder"] ?? .null))
    }

    private func unsupported(_ what: String) -> ModelFileError {
        ModelFileError(
            .unsupportedTokenizer, "\(fileName): \(what) is not supported. Use a GGUF file of this model.")
    }

    private func unsupported(_ what: String, _ step: JSONValue) -> ModelFileError {
        unsupported("the \(what) “\(String((step["type"]?.string ?? "").prefix(40)))”")
    }

    private func invalid(_ what: String) -> ModelFileError {
        ModelFileError(.invalidValue, "\(fileName): the file \(what). Download it again.")
    }

    /// The largest number of steps of one kind.
    private static let mostSteps = 64

    private func steps(_ step: JSONValue, _ key: String) throws(ModelFileError) -> [JSONValue] {
        guard step["type"]?.string == "Sequence" else { return step.isNull ? [] : [step] }
        var result: [JSONValue] = []
        for element in step[key]?.array ?? [] {
            result += try steps(element, key)
            guard result.count <= Self.mostSteps else { throw invalid("has more than \(Self.mostSteps) steps") }
        }
        return result
    }

    private func pattern(_ value: JSONValue?) throws(ModelFileError) -> SplitPattern {
        if let text = value?["String"]?.string, !text.isEmpty {
            let length = text.unicodeScalars.count
            guard length <= SplitPattern.longest else { throw unsupported("a pattern of \(length) characters") }
            return SplitPattern(text: text)
        }
        guard let source = value?["Regex"]?.string else { throw invalid("has a step without its pattern") }
        do {
            return try SplitPattern(expression: source)
        } catch {
            throw ModelFileError(.unsupportedTokenizer, "\(fileName): \(error.message)", cause: error)
        }
    }

    // MARK: Steps

    private func normalizers(_ value: JSONValue) throws(ModelFileError) -> [TextNormalizer] {
        var result: [TextNormalizer] = []
        for step in try steps(value, "normalizers") {
            switch step["type"]?.string {
            case "NFC": result.append(.unicode(.nfc))
            case "NFD": result.append(.unicode(.nfd))
            case "NFKC": result.append(.unicode(.nfkc))
            case "NFKD": result.append(.unicode(.nfkd))
            case "Lowercase": result.append(.lowercase)
            case "StripAccents": result.append(.stripAccents)
            case "ByteLevel": result.append(.bytes)
            case "Prepend": result.append(.prepend(step["prepend"]?.string ?? ""))
            case "Strip":
                result.append(
                    .strip(left: step["strip_left"]?.bool ?? false, right: step["strip_right"]?.bool ?? false))
            case "Replace": result.append(.replace(try pattern(step["pattern"]), step["content"]?.string ?? ""))
            case "BertNormalizer":
                let lowercases = step["lowercase"]?.bool ?? true
                result.append(
                    .bert(
                        cleans: step["clean_text"]?.bool ?? true,
                        separatesIdeographs: step["handle_chinese_chars"]?.bool ?? true,
                        stripsAccents: step["strip_accents"]?.bool ?? lowercases, lowercases: lowercases))
            default: throw unsupported("normaliser", step)
            }
        }
        return result
    }

    private func splitters(_ value: JSONValue) throws(ModelFileError) -> [TextSplitter] {
        var result: [TextSplitter] = []
        for step in try steps(value, "pretokenizers") {
            switch step["type"]?.string {
            case "ByteLevel":
                result.append(
                    .bytes(
                        addsSpace: step["add_prefix_space"]?.bool ?? true, splits: step["use_regex"]?.bool ?? true))
            case "Whitespace": result.append(.words)
            case "WhitespaceSplit": result.append(.whitespace)
            case "BertPreTokenizer": result.append(.bert)
            case "Digits": result.append(.digits(isIndividual: step["individual_digits"]?.bool ?? false))
            case "Punctuation": result.append(.punctuation(try behavior(step, default: .isolated)))
            case "CharDelimiterSplit":
                guard let scalar = Self.single(step["delimiter"]) else { throw invalid("has no delimiter") }
                result.append(.delimiter(scalar))
            case "Metaspace":
                guard let mark = Self.single(step["replacement"] ?? "▁") else { throw invalid("has no replacement") }
                result.append(.marks(mark, try prefix(step), splits: step["split"]?.bool ?? true))
            case "Split":
                let behavior = try behavior(step, default: nil)
                let isInverted = step["invert"]?.bool ?? false
                result.append(.pattern(try pattern(step["pattern"]), behavior, isInverted: isInverted))
            default: throw unsupported("pre-tokenizer", step)
            }
        }
        return result
    }

    private static func single(_ value: JSONValue?) -> Unicode.Scalar? {
        guard let scalars = value?.string?.unicodeScalars, scalars.count == 1 else { return nil }
        return scalars.first
    }

    private func behavior(
        _ step: JSONValue, default usual: TextSplitter.Behavior?
    ) throws(ModelFileError) -> TextSplitter.Behavior {
        let name = step["behavior"]?.string
        guard let behavior = name.map({ TextSplitter.Behavior(rawValue: $0) }) ?? usual else {
            throw unsupported("the behaviour “\(String((name ?? "").prefix(40)))” of a pre-tokenizer")
        }
        return behavior
    }

    private func prefix(_ step: JSONValue) throws(ModelFileError) -> TextSplitter.Prefix {
        switch step["prepend_scheme"]?.string {
        case "always": .always
        case "first": .first
        case "never": .never
        case nil: step["add_prefix_space"]?.bool == false ? .never : .always
        default: throw unsupported("the scheme of “Metaspace”")
        }
    }

    private func model() throws(ModelFileError) -> TokenizerPipeline.Model {
        let model = document["model"] ?? .null
        let unknown = model["unk_token"]?.string.flatMap { ids[ExactText($0)] }
        switch model["type"]?.string ?? (model["merges"] == nil ? "" : "BPE") {
        case "BPE":
            if let rate = model["dropout"]?.number, rate > 0 { throw unsupported("the model's “dropout”") }
            if let name = model["unk_token"]?.string, unknown == nil {
                throw invalid("has no token “\(name.prefix(40))”, its unknown token")
            }
            var options = TokenizerPipeline.BytePairOptions()
            options.unknown = unknown
            options.joinsUnknown = model["fuse_unk"]?.bool ?? false
            options.spellsBytes = model["byte_fallback"]?.bool ?? false
            options.ignoresMerges = model["ignore_merges"]?.bool ?? false
            options.prefix = model["continuing_subword_prefix"]?.string ?? ""
            options.suffix = model["end_of_word_suffix"]?.string ?? ""
            return .bytePairs(options)
        case "Unigram":
            let scores = (model["vocab"]?.array ?? []).map { $0[1]?.number ?? .nan }
            guard scores.allSatisfy(\.isFinite) else { throw invalid("has a token without its probability") }
            let id = model["unk_id"]?.integer
            guard id.map(scores.indices.contains) ?? true else {
                throw invalid("has an unknown token beyond its tokens")
            }
            return .unigram(
                scores: scores, unknown: id.map { TokenID($0) }, spellsBytes: model["byte_fallback"]?.bool ?? false)
        case "WordPiece":
            guard let unknown else { throw invalid("has no unknown token") }
            return .wordPiece(
                unknown: unknown, prefix: model["continuing_subword_prefix"]?.string ?? "##",
                longestWord: model["max_input_chars_per_word"]?.integer ?? 100)
        case "WordLevel": return .words(unknown: unknown)
        default: throw unsupported("model", model)
        }
    }

    private func addedTokens() -> [TokenizerPipeline.AddedToken] {
        (document["added_tokens"]?.array ?? []).compactMap { value in
            guard let text = value["content"]?.string, let id = ids[ExactText(text)] else { return nil }
            var token = TokenizerPipeline.AddedToken(id: id, text: text)
            token.isSingleWord = value["single_word"]?.bool ?? false
            token.stripsLeft = value["lstrip"]?.bool ?? false
            token.stripsRight = value["rstrip"]?.bool ?? false
            token.isNormalized = value["normalized"]?.bool ?? false
            token.isSpecial = value["special"]?.bool ?? false
            return token
        }
    }

    private func decoder(_ value: JSONValue) throws(ModelFileError) -> TokenizerPipeline.Decoder {
        let steps = try steps(value, "decoders")
        let types = steps.map { $0["type"]?.string ?? "" }
        switch types {
        case []: return .plain
        case ["ByteLevel"]: return .bytes
        case ["Metaspace"]:
            return .spaces(mark: steps[0]["replacement"]?.string ?? "▁", stripsFirst: try prefix(steps[0]) != .never)
        case ["WordPiece"]: return .words(prefix: steps[0]["prefix"]?.string ?? "##")
        case ["BPEDecoder"]: return .suffix(steps[0]["suffix"]?.string ?? "</w>")
        default:
            // Llama's and Gemma's, in several steps.
            guard types.allSatisfy(["Replace", "ByteFallback", "Fuse", "Strip"].contains),
                let replace = steps.first(where: { $0["type"]?.string == "Replace" }),
                let mark = replace["pattern"]?["String"]?.string, replace["content"]?.string == " "
            else { throw unsupported("decoder", value) }
            return .spaces(mark: mark, stripsFirst: types.contains("Strip"))
        }
    }
}
