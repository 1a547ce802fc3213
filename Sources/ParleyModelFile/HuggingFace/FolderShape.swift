// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The sizes of a folder's network and the constants in its formulas, for an engine that has formulas of its own.
package struct FolderShape: Sendable, Hashable {
    /// The rotary embedding of a layer.
    package struct Rotation: Sendable, Hashable {
        /// The base of the frequencies.
        package var base: Float
        /// What positions are multiplied by.
        package var scale: Float = 1
        /// The wavelengths of the pairs of a head divided by 2 π, instead of the base; empty for none.
        package var periods: [Float] = []
    }

    /// The number of layers.
    package let layers: Int
    /// The length of the hidden state.
    package let width: Int
    /// The number of heads of queries.
    package let heads: Int
    /// The number of heads of keys and values.
    package let keyValueHeads: Int
    /// The length of a head.
    package let headWidth: Int
    /// The length of the hidden state of the feed-forward network.
    package let feedForward: Int
    /// The number of tokens that the network knows.
    package let vocabularySize: Int
    /// The longest sequence that the network was trained for, in tokens.
    package let trainedContext: Int
    /// What is added to the mean square in norms.
    package let epsilon: Float
    /// How many values of a head are rotated.
    package let rotated: Int
    /// The rotary embedding of layers that see all positions.
    package let rotation: Rotation
    /// What the products of queries and keys are multiplied by.
    package let queryScale: Float
    /// What embeddings are multiplied by.
    package let embeddingScale: Float
    /// Whether the feed-forward network has the tanh form of GELU instead of SiLU.
    package let isGELU: Bool
    /// How many positions a layer with a window sees.
    package let window: Int
    /// Which layers have a window; empty for none.
    package let windowed: [Bool]
    /// The rotary embedding of layers with a window.
    package let windowRotation: Rotation
    private let architecture: String

    /// The architectures whose formulas are described here.
    private static let known = ["gemma3", "llama", "phi3", "qwen2", "qwen3"]

    /// Throws an error unless the formulas of an architecture are described here.
    static func requireKnown(_ family: any FolderFamily, _ config: FolderConfiguration) throws(ModelFileError) {
        guard known.contains(family.architecture) else {
            throw config.unsupported("the architecture is \(family.architecture)")
        }
    }

    /// Reads the sizes.
    ///
    /// - Throws: ``ModelFileError`` for a constant that is not described here.
    init(
        _ family: any FolderFamily, _ config: FolderConfiguration, vocabularySize: Int
    ) throws(ModelFileError) {
        architecture = family.architecture
        let entries = FolderEntries(try family.entries(config), config)
        layers = try entries.count("block_count", upTo: 1 << 12)
        width = try entries.count("embedding_length", upTo: 1 << 20)
        heads = try entries.count("attention.head_count", upTo: 1 << 12)
        keyValueHeads = try entries.count("attention.head_count_kv", upTo: 1 << 12)
        feedForward = try entries.count("feed_forward_length", upTo: 1 << 22)
        headWidth = try entries.count("attention.key_length", default: width / heads, upTo: 1 << 14)
        trainedContext = try entries.count("context_length", upTo: 1 << 30)
        guard heads.isMultiple(of: keyValueHeads) else {
            throw config.invalid("num_key_value_heads", "does not divide the number of heads")
        }
        self.vocabularySize = vocabularySize
        epsilon = try entries.number("attention.layer_norm_rms_epsilon")
        rotated = try entries.count("rope.dimension_count", default: headWidth, upTo: headWidth)
        guard rotated.isMultiple(of: 2) else { throw config.invalid("head_dim", "is odd") }
        let isGemma = architecture == "gemma3"
        isGELU = isGemma
        embeddingScale = isGemma ? Float(width).squareRoot() : 1
        let divisor = isGemma ? Float(try config.count("query_pre_attn_scalar", default: 256)) : Float(headWidth)
        guard divisor > 0 else { throw config.invalid("query_pre_attn_scalar", "is 0") }
        queryScale = 1 / divisor.squareRoot()
        window = try entries.count("attention.sliding_window", default: 1, upTo: 1 << 30)
        windowed = entries.flags("attention.sliding_window_pattern")
        windowRotation = Rotation(base: try entries.number("rope.freq_base_swa", default: 10_000))
        rotation = try Self.rotation(config, entries, rotated: rotated)
    }

    private static func rotation(
        _ config: FolderConfiguration, _ entries: FolderEntries, rotated: Int
    ) throws(ModelFileError) -> Rotation {
        var rotation = Rotation(base: try entries.number("rope.freq_base"))
        switch entries.text("rope.scaling.type") {
        case nil: break
        case "linear":
            let factor = try entries.number("rope.scaling.factor")
            guard factor > 0 else { throw config.invalid("rope_scaling", "has a number out of range") }
            rotation.scale = 1 / factor
        case .some(let kind): throw config.unsupported("the rope scaling is “\(kind)”")
        }
        let kind = try FolderRotation(config).kind
        if kind == "longrope" || kind == "su" { throw config.unsupported("the rope scaling is “longrope”") }
        if let divisors = try FolderRotation(config).llama3Factors(headWidth: rotated) {
            rotation.periods = divisors.enumerated().map { index, divisor in
                divisor * pow(rotation.base, Float(2 * index) / Float(rotated))
            }
        }
        return rotation
    }

    /// Checks that all tensors are there and have the sizes that they need.
    ///
    /// - Throws: ``ModelFileError``.
    func check(_ tensors: [NetworkTensor], _ config: FolderConfiguration) throws(ModelFileError) {
        var seen: Set<String> = []
        for tensor in tensors {
            let fields = tensor.name.split(separator: ".", maxSplits: 2).map(String.init)
            let isOfLayer = fields.count == 3 && fields[0] == "blk"
            guard !isOfLayer || (0..<layers).contains(Int(fields[1]) ?? -1), seen.insert(tensor.name).inserted,
                let size = size(of: isOfLayer ? fields[2] : tensor.name),
                size == (tensor.isMatrix ? [tensor.rows, tensor.columns] : [tensor.columns])
            else {
                throw ModelFileError(
                    .corrupt,
                    "\(config.fileName): the tensor \(tensor.stored) (\(tensor.rows) × \(tensor.columns)) does not go "
                        + "with it. Download the files again.")
            }
        }
        let all =
            ["token_embd.weight", "output_norm.weight"]
            + (0..<layers).flatMap { layer in needed.map { "blk.\(layer).\($0).weight" } }
        if let missing = all.first(where: { !seen.contains($0) }) {
            throw ModelFileError(
                .missingTensor,
                "\(config.fileName): the weights have no tensor for \(missing). The folder is incomplete.")
        }
        guard windowed.isEmpty || windowed.count == layers else { throw config.invalid("layer_types", "is too short") }
        if try !config.flag("tie_word_embeddings", default: false), architecture != "gemma3",
            !seen.contains("output.weight")
        {
            throw ModelFileError(.missingTensor, "\(config.fileName): the weights have no lm_head.weight.")
        }
    }

    /// The tensors that every layer has.
    private var needed: [String] {
        let common = ["attn_norm", "attn_output", "ffn_norm", "ffn_up", "ffn_down"]
        switch architecture {
        case "phi3": return common + ["attn_qkv"]
        case "qwen3": return common + ["attn_q", "attn_k", "attn_v", "ffn_gate", "attn_q_norm", "attn_k_norm"]
        case "gemma3":
            return common + [
                "attn_q", "attn_k", "attn_v", "ffn_gate", "attn_q_norm", "attn_k_norm", "post_attention_norm",
                "post_ffw_norm",
            ]
        default: return common + ["attn_q", "attn_k", "attn_v", "ffn_gate"]
        }
    }

    /// The sizes of a tensor, by its name in a layer or outside of them; nil if there is none of that name.
    private func size(of name: String) -> [Int]? {
        let (queries, keys) = (heads * headWidth, keyValueHeads * headWidth)
        let isFused = architecture == "phi3"
        switch name {
        case "token_embd.weight", "output.weight": return [vocabularySize, width]
        case "output_norm.weight", "attn_norm.weight", "ffn_norm.weight", "post_attention_norm.weight",
            "post_ffw_norm.weight", "attn_output.bias", "ffn_down.bias":
            return [width]
        case "attn_q.weight": return [queries, width]
        case "attn_k.weight", "attn_v.weight": return [keys, width]
        case "attn_q.bias": return [queries]
        case "attn_k.bias", "attn_v.bias": return [keys]
        case "attn_q_norm.weight", "attn_k_norm.weight": return [headWidth]
        case "attn_qkv.weight": return [queries + 2 * keys, width]
        case "attn_output.weight": return [width, queries]
        case "ffn_gate.weight": return [feedForward, width]
        case "ffn_up.weight": return [isFused ? 2 * feedForward : feedForward, width]
        case "ffn_gate.bias", "ffn_up.bias": return [feedForward]
        case "ffn_down.weight": return [width, feedForward]
        default: return nil
        }
    }
}

/// The metadata that a family makes of `config.json`, by key.
private struct FolderEntries {
    private let values: [String: GGUFValue]
    private let config: FolderConfiguration

    init(_ entries: [GGUFEntry], _ config: FolderConfiguration) {
        values = Dictionary(entries.map { ($0.key, $0.value) }) { first, _ in first }
        self.config = config
    }

    func count(_ key: String, default value: Int? = nil, upTo limit: Int) throws(ModelFileError) -> Int {
        var found = value
        if case .uint32(let number)? = values[key] { found = Int(number) }
        guard let found, (1...limit).contains(found) else {
            throw config.unsupported("“\(key)” is \(found.map(String.init) ?? "missing")")
        }
        return found
    }

    func number(_ key: String, default value: Float? = nil) throws(ModelFileError) -> Float {
        if case .float32(let number)? = values[key], number.isFinite, number > 0 { return number }
        guard let value, values[key] == nil else { throw config.unsupported("“\(key)” is missing or out of range") }
        return value
    }

    func text(_ key: String) -> String? {
        if case .string(let text)? = values[key] { text } else { nil }
    }

    func flags(_ key: String) -> [Bool] {
        if case .bools(let flags)? = values[key] { flags } else { [] }
    }
}
