// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import ParleyJSON
import ParleyTokenizer

/// A folder in the form of Hugging Face's `transformers`, as the GGUF file that llama.cpp's converter makes of it.
///
/// It is read from `config.json`, `model.safetensors` (or the files of its index), `tokenizer.json`,
/// `tokenizer_config.json`, `chat_template.jinja` and `generation_config.json`; the last three may be missing.
struct ModelFolder {
    /// The folder's path, for messages.
    let name: String
    /// The metadata of the GGUF file.
    let metadata: [GGUFEntry]
    /// The tensors of the GGUF file, in the order of the weights.
    let tensors: [any FolderTensorSource]
    /// The tokenizer as `tokenizer.json` describes it, which a GGUF file may not be able to.
    let tokenizer: TokenizerDescription

    /// Reads everything but the weights' data.
    init(contentsOf url: URL) throws(ModelFileError) {
        guard let document = try FolderDocument("config.json", in: url) else {
            throw ModelFileError(.unreadable, "\(url.path): there is no config.json.")
        }
        let whole = FolderConfiguration(try document.json(), fileName: document.name)
        let family = try Self.family(of: whole)
        let config = try family.textConfiguration(whole)
        let quantization = try FolderQuantization.read(from: whole)
        let weights = try SafetensorsFile(contentsOf: url)
        tensors = try Self.tensors(of: weights, quantization, family, config)
        let generation = try FolderDocument("generation_config.json", in: url).map { (file) throws(ModelFileError) in
            FolderConfiguration(try file.json(), fileName: file.name)
        }
        let rows = tensors.first { $0.layout.name == "token_embd.weight" }?.layout.dimensions.last ?? 0
        let vocabulary = try FolderTokenizer(contentsOf: url, config: whole, generation: generation, rows: rows)
        tokenizer = vocabulary.description
        let entries =
            [
                GGUFEntry("general.architecture", .string(family.architecture)),
                GGUFEntry("general.type", .string("model")),
                GGUFEntry("general.name", .string(Self.label(of: whole, in: url))),
                GGUFEntry("general.file_type", .uint32(Self.fileType(of: tensors))),
                GGUFEntry("general.quantization_version", .uint32(2)),
            ] + (try Self.sampling(generation))
        let own = try family.entries(config).map { GGUFEntry("\(family.architecture).\($0.key)", $0.value) }
        let size = [GGUFEntry("\(family.architecture).vocab_size", .uint32(UInt32(clamping: rows)))]
        let pooling = try FolderPooling.entries(in: url, architecture: family.architecture)
        metadata = entries + own + size + pooling + vocabulary.entries
        name = url.path
    }

    /// The header and size of the GGUF file.
    var layout: GGUFLayout { GGUFLayout(metadata: metadata, tensors: tensors.map(\.layout)) }

    /// The families by the names of their classes in `transformers`.
    private static let families: [String: any FolderFamily] = [
        "bert": BERTFolder(), "llama": LlamaFolder(), "mistral": LlamaFolder(),
        "qwen2": QwenFolder(architecture: "qwen2"),
        "qwen3": QwenFolder(architecture: "qwen3"), "gemma3": GemmaFolder(), "gemma3_text": GemmaFolder(),
        "phi3": PhiFolder(), "lfm2": LFM2Folder(), "smollm3": SmolLM3Folder(), "granite": GraniteFolder(),
        "ernie4_5": ErnieFolder(), "olmo2": NormedResultsFolder(architecture: "olmo2"),
        "olmo3": NormedResultsFolder(architecture: "olmo2"), "exaone4": NormedResultsFolder(architecture: "exaone4"),
    ]

    /// The family of a folder.
    ///
    /// - Throws: ``ModelFileError`` with code `unsupportedModel` if it is not known.
    static func family(of config: FolderConfiguration) throws(ModelFileError) -> any FolderFamily {
        let type = try config.text(ifPresent: "model_type") ?? ""
        guard let family = families[type] else {
            throw ModelFileError(
                .unsupportedModel,
                "\(config.fileName): folders of the model type \(String(reflecting: String(type.prefix(40)))) are not "
                    + "read (\(families.keys.sorted().joined(separator: ", ")) are). Use a GGUF file of this model.")
        }
        return family
    }

    /// The model's name: the one it had when it was saved, or else that of the folder.
    static func label(of config: FolderConfiguration, in url: URL) -> String {
        config["_name_or_path"]?.string.flatMap { $0.split(separator: "/").last }.map(String.init)
            ?? url.standardizedFileURL.lastPathComponent
    }

    private static func tensors(
        of weights: SafetensorsFile, _ quantization: FolderQuantization?, _ family: any FolderFamily,
        _ config: FolderConfiguration
    ) throws(ModelFileError) -> [any FolderTensorSource] {
        var tensors: [any FolderTensorSource] = try family.madeTensors(config)
        let sharesHead = try config.flag("tie_word_embeddings", default: false)
        for weight in try FolderWeights(weights, quantization).weights {
            guard let form = try family.form(of: FolderTensorName(weight.name), config) else { continue }
            // A copy of the embedding that some programs write although it is shared.
            if sharesHead, form.name == "output.weight" { continue }
            switch weight {
            case .stored(let stored): tensors.append(try FolderTensor(stored, in: weights, as: form))
            case .packed(let name, let packed):
                tensors.append(try PackedTensor(packed, name: name, in: weights, as: form))
            }
        }
        return tensors
    }

    /// The number by which `general.file_type` calls the type of the most bytes.
    private static func fileType(of tensors: [any FolderTensorSource]) -> UInt32 {
        var sizes: [UInt32: Int] = [:]
        for tensor in tensors { sizes[tensor.layout.typeCode, default: 0] += tensor.layout.byteCount / 64 }
        let most = sizes.max { ($0.value, $0.key) < ($1.value, $1.key) }?.key
        return most.flatMap { TensorType(rawValue: $0) }.flatMap { GGUFConversion.fileTypes[$0] } ?? 0
    }

    /// The sampling that the makers recommend, where the model is to be sampled from at all.
    private static func sampling(_ generation: FolderConfiguration?) throws(ModelFileError) -> [GGUFEntry] {
        guard let generation, try generation.flag("do_sample", default: false) else { return [] }
        var entries: [GGUFEntry] = []
        if let count = try generation.count(ifPresent: "top_k") {
            entries.append(GGUFEntry("general.sampling.top_k", .int32(Int32(clamping: count))))
        }
        let numbers = [
            ("top_p", "top_p"), ("min_p", "min_p"), ("temperature", "temp"), ("repetition_penalty", "penalty_repeat"),
        ]
        for (key, name) in numbers {
            guard let number = try generation.number(ifPresent: key) else { continue }
            entries.append(GGUFEntry("general.sampling.\(name)", .float32(Float(number))))
        }
        return entries
    }
}
