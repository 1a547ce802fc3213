// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyJSON
import ParleyModelFile
import ParleySpeech
import ParleyTensor
import ParleyTokenizer

/// Reads Whisper models as Hugging Face's `transformers` saves them: `model.safetensors` (or the files of its index) with
/// the weights, `config.json` with the sizes, `tokenizer.json` or `vocab.json` with the tokens, and
/// `generation_config.json` with what is suppressed.
enum TransformersFolder {
    /// Whether a folder, or a file of one, is in this form.
    static func recognizes(_ url: URL, isFolder: Bool) -> Bool {
        let names = [SafetensorsFile.fileName, SafetensorsFile.indexName]
        guard isFolder else { return url.pathExtension == "safetensors" || names.contains(url.lastPathComponent) }
        func has(_ name: String) -> Bool {
            FileManager.default.fileExists(atPath: url.appendingPathComponent(name).path)
        }
        return !has("model.bin") && names.contains(where: has)
    }

    static func read(_ folder: URL) throws -> WhisperFile {
        let weights = try SafetensorsFile(contentsOf: folder)
        guard let document = try FolderDocument("config.json", in: folder) else {
            throw SpeechError(
                .unsupportedModel,
                "\(folder.path): there is no config.json beside model.safetensors; copy the whole folder.")
        }
        let config = FolderConfiguration(try document.json(), fileName: document.name)
        let dimensions = try dimensions(config)
        let tokens = WhisperTokens(vocabularySize: dimensions.vocabularySize)
        let generation = try FolderDocument("generation_config.json", in: folder)?.json()
        return WhisperFile(
            parts: weights.parts, dimensions: dimensions, tensors: try tensors(weights),
            pieces: try pieces(folder, tokens),
            suppressed: suppressed(generation?["suppress_tokens"] ?? config["suppress_tokens"]),
            alignmentHeads: heads(generation?["alignment_heads"]))
    }

    // MARK: Sizes

    private static func dimensions(_ config: FolderConfiguration) throws -> WhisperDimensions {
        let type = try config.text(ifPresent: "model_type") ?? ""
        guard type == "whisper" else {
            throw SpeechError(
                .unsupportedModel,
                "\(config.fileName): a model of the type \(String(reflecting: String(type.prefix(40)))), not of Whisper."
            )
        }
        let activation = try config.text(ifPresent: "activation_function") ?? "gelu"
        guard activation == "gelu", try !config.flag("scale_embedding", default: false) else {
            throw SpeechError(
                .unsupportedModel,
                "\(config.fileName): the network differs from Whisper's (another activation, or scaled embeddings).")
        }
        let width = try config.count("d_model")
        return try WhisperDimensions(
            file: config.fileName, vocabularySize: config.count("vocab_size"),
            audioContext: config.count("max_source_positions", default: 1_500), audioWidth: width,
            audioHeads: config.count("encoder_attention_heads"), audioLayers: config.count("encoder_layers"),
            textContext: config.count("max_target_positions", default: 448), textWidth: width,
            textHeads: config.count("decoder_attention_heads"), textLayers: config.count("decoder_layers"),
            mels: config.count("num_mel_bins", default: 80))
    }

    // MARK: Tensors

    private static func tensors(_ weights: SafetensorsFile) throws -> [String: WhisperTensor] {
        var tensors: [String: WhisperTensor] = [:]
        for stored in weights.tensors {
            // The head is the embedding, of which some programs write a copy.
            guard let name = name(of: stored.name) else { continue }
            guard let type = types[stored.type] else {
                throw SpeechError(
                    .unsupportedModel,
                    "\(weights.name): \(stored.name) has the type \(stored.type.rawValue), which no kernel reads.")
            }
            tensors[name] = WhisperTensor(
                shape: stored.shape, encoding: .plain(type), bytes: stored.byteRange, part: stored.part)
        }
        return tensors
    }

    private static let types: [SafetensorsTensor.ValueType: MatrixType] = [.f32: .f32, .f16: .f16, .bf16: .bf16]

    /// OpenAI's name of a tensor; nil for what is no part of the encoder or the decoder.
    private static func name(of stored: String) -> String? {
        var name = stored.hasPrefix("model.") ? String(stored.dropFirst(6)) : stored
        guard name.hasPrefix("encoder.") || name.hasPrefix("decoder.") else { return nil }
        for (old, new) in names { name = name.replacing(old, with: new) }
        return name
    }

    /// The parts of names in which the two differ. Each layer's last normalisation is that before its feed-forward part.
    private static let names = [
        ("encoder.layer_norm.", "encoder.ln_post."), ("decoder.layer_norm.", "decoder.ln."),
        (".embed_positions.weight", ".positional_embedding"), (".embed_tokens.", ".token_embedding."),
        (".layers.", ".blocks."), (".encoder_attn_layer_norm.", ".cross_attn_ln."),
        (".self_attn_layer_norm.", ".attn_ln."), (".final_layer_norm.", ".mlp_ln."),
        (".encoder_attn.", ".cross_attn."), (".self_attn.", ".attn."), (".fc1.", ".mlp.0."), (".fc2.", ".mlp.2."),
        (".q_proj.", ".query."), (".k_proj.", ".key."), (".v_proj.", ".value."), (".out_proj.", ".out."),
    ]

    // MARK: Tokens

    /// The bytes of each token of text. The merges need not be read: they follow from the tokens' numbers.
    private static func pieces(_ folder: URL, _ tokens: WhisperTokens) throws -> [[UInt8]] {
        let vocabulary: JSONValue
        let name: String
        if let document = try FolderDocument("tokenizer.json", in: folder) {
            (vocabulary, name) = (
                try document.json(FolderDocument.vocabulary)["model"]?["vocab"] ?? .null, document.name
            )
        } else if let document = try FolderDocument("vocab.json", in: folder) {
            (vocabulary, name) = (try document.json(FolderDocument.vocabulary), document.name)
        } else {
            throw SpeechError(
                .unsupportedModel,
                "\(folder.path): there is neither tokenizer.json nor vocab.json beside model.safetensors; copy the whole "
                    + "folder.")
        }
        var pieces = [[UInt8]?](repeating: nil, count: Int(tokens.endOfText))
        for (text, id) in vocabulary.object ?? [:] {
            guard let id = id.integer else { throw SpeechError.damaged(name, "a token has no number") }
            if pieces.indices.contains(id) { pieces[id] = ByteAlphabet.decode(ArraySlice(text.utf8)) }
        }
        // Multilingual vocabularies leave one number before the end out.
        let missing = pieces.count { $0 == nil }
        guard missing <= 1 else { throw SpeechError.damaged(name, "\(missing) tokens of text are missing") }
        return pieces.map { $0 ?? [] }
    }

    private static func suppressed(_ value: JSONValue?) -> [Int32]? {
        value?.array?.compactMap { $0.integer.flatMap { Int32(exactly: $0) } }
    }

    private static func heads(_ value: JSONValue?) -> [(layer: Int, head: Int)]? {
        value?.array?.compactMap { pair in
            guard let layer = pair[0]?.integer, let head = pair[1]?.integer, pair.array?.count == 2 else { return nil }
            return (layer, head)
        }
    }
}
