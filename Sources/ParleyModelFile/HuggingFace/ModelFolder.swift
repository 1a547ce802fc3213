// SPDX-License-Identifier: Apache-2.0

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
    init(_ location: FolderLocation) throws(ModelFileError) {
        guard let document = try FolderDocument("config.json", in: location) else {
            throw ModelFileError(.unreadable, "\(location.name): there is no config.json.")
        }
        let whole = FolderConfiguration(try document.json(), fileName: document.name)
        let family = try Self.family(of: whole)
        let config = try family.textConfiguration(whole)
        let quantization = try FolderQuantization.read(from: whole)
        let weights = try SafetensorsFile(of: location)
        tensors = try Self.tensors(of: weights, quantization, family, config)
        let generation = try FolderDocument("generation_config.json", in: location).map {
            (file) throws(ModelFileError) in
            FolderConfiguration(try file.json(), fileName: file.name)
        }
        let rows = tensors.first { $0.layout.name == "token_embd.weight" }?.layout.dimensions.last ?? 0
        let vocabulary = try FolderTokenizer(contentsOf: location, config: whole, generation: generation, rows: rows)
        tokenizer = vocabulary.description
        let entries =
            [
                GGUFEntry("general.architecture", .string(family.architecture)),
                GGUFEntry("general.type", .string("model")),
                GGUFEntry("general.name", .string(Self.label(of: whole, in: location))),
                GGUFEntry("general.file_type", .uint32(Self.fileType(of: tensors))),
                GGUFEntry("general.quantization_version", .uint32(2)),
            ] + (try Self.sampling(generation))
        let own = try family.entries(config).map { GGUFEntry("\(family.architecture).\($0.key)", $0.value) }
        let size = [GGUFEntry("\(family.architecture).vocab_size", .uint32(UInt32(clamping: rows)))]
        let pooling = try FolderPooling.entries(in: location, architecture: family.architecture)
        metadata = entries + own + size + pooling + vocabulary.entries
        name = location.name
    }

    /// The header and size of the GGUF file.
    var layout: GGUFLayout { GGUFLayout(metadata: metadata, tensors: tensors.map(\.layout)) }

    /// The families by the names of their classes in `transformers`.
    private static let families: [String: any FolderFamily] = [
        "bert": BERTFolder(), "llama": LlamaFolder(), "mistral": LlamaFolder(), "mixtral": MixtralFolder(),
        "mistral3": MinistralFolder(), "ministral3": MinistralFolder(),
        "qwen2": QwenFolder(architecture: "qwen2"), "qwen3": QwenFolder(architecture: "qwen3"),
        "qwen3_moe": QwenExpertsFolder(), "gemma3": GemmaFolder(), "gemma3_text": GemmaFolder(),
        "phi3": PhiFolder(), "lfm2": LFM2Folder(), "lfm2_moe": LFM2ExpertsFolder(), "smollm3": SmolLM3Folder(),
        "granite": GraniteFolder(), "granitemoe": GraniteExpertsFolder(), "granitemoeshared": GraniteExpertsFolder(),
        "ernie4_5": ErnieFolder(), "olmo2": NormedResultsFolder(architecture: "olmo2"),
        "olmo3": NormedResultsFolder(architecture: "olmo2"), "exaone4": NormedResultsFolder(architecture: "exaone4"),
        "gpt_oss": GPTOSSFolder(),
    ]

    /// The family of a folder.
    ///
    /// - Throws: ``ModelFileError`` with code `unsupportedModel` if it is not known.
    static func family(of config: FolderConfiguration) throws(ModelFileError) -> any FolderFamily {
        let type = try config.text(ifPresent: "model_type") ?? ""
        if type == "granitemoehybrid" {
            return GraniteExpertsFolder(hasExperts: try config.count("num_local_experts", default: 0) > 0)
        }
        guard let family = families[type] else {
            throw ModelFileError(
                .unsupportedModel,
                "\(config.fileName): folders of the model type \(String(reflecting: String(type.prefix(40)))) are not "
                    + "read (\(families.keys.sorted().joined(separator: ", ")) are). Use a GGUF file of this model.")
        }
        return family
    }

    /// The model's name: the one it had when it was saved, or else that of the folder.
    static func label(of config: FolderConfiguration, in location: FolderLocation) -> String {
        config["_name_or_path"]?.string.flatMap { $0.split(separator: "/").last }.map(String.init)
            ?? location.label
    }

    private static func tensors(
        of weights: SafetensorsFile, _ quantization: FolderQuantization?, _ family: any FolderFamily,
        _ config: FolderConfiguration
    ) throws(ModelFileError) -> [any FolderTensorSource] {
        var tensors: [any FolderTensorSource] = try family.madeTensors(config)
        let sharesHead = try config.flag("tie_word_embeddings", default: false)
        var experts: [String: [Int: any FolderTensorSource]] = [:]
        for weight in try FolderWeights(weights, quantization).weights {
            for form in try family.forms(of: FolderTensorName(weight.name), config) {
                // A copy of the embedding that some programs write although it is shared.
                if sharesHead, form.name == "output.weight" { continue }
                let tensor: any FolderTensorSource =
                    switch weight {
                    case .stored(let stored): try FolderTensor(stored, in: weights, as: form)
                    case .packed(let name, let packed): try PackedTensor(packed, name: name, in: weights, as: form)
                    }
                if let expert = form.expert {
                    experts[form.name, default: [:]][expert] = tensor
                } else {
                    tensors.append(tensor)
                }
            }
        }
        for (_, matrices) in experts.sorted(by: { $0.key < $1.key }) {
            tensors.append(try ExpertStack(matrices, config))
        }
        return tensors
    }

    /// The number by which `general.file_type` calls the type of the most bytes.
    private static func fileType(of tensors: [any FolderTensorSource]) -> UInt32 {
        var sizes: [UInt32: Int] = [:]
        for tensor in tensors { sizes[tensor.layout.typeCode, default: 0] += tensor.layout.byteCount / 64 }
        let most = sizes.max { ($0.value, $0.key) < ($1.value, $1.key) }?.key
        return most.flatMap { TensorType(rawValue: $0) }.map { FileType.number(of: $0.name) } ?? 0
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
