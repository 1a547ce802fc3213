// SPDX-License-Identifier: Apache-2.0

/// A family of models: what its `config.json` and its tensors are called in GGUF files.
///
/// The names and values are those that llama.cpp's converter writes.
protocol FolderFamily: Sendable {
    /// The name of the architecture in GGUF files.
    var architecture: String { get }

    /// The part of `config.json` that describes the model of text.
    func textConfiguration(_ config: FolderConfiguration) throws(ModelFileError) -> FolderConfiguration

    /// The architecture's metadata, without the architecture's name in the keys.
    func entries(_ config: FolderConfiguration) throws(ModelFileError) -> [GGUFEntry]

    /// What a tensor becomes; nil if GGUF files do not have it.
    ///
    /// - Throws: ``ModelFileError`` with code `unsupportedModel` for a tensor that the family does not have.
    func form(of name: FolderTensorName, _ config: FolderConfiguration) throws(ModelFileError) -> FolderTensorForm?

    /// What a tensor becomes where the family also has some that become two tensors, or parts of one, as those of experts.
    ///
    /// - Throws: ``ModelFileError``, as ``form(of:_:)`` does.
    func forms(of name: FolderTensorName, _ config: FolderConfiguration) throws(ModelFileError) -> [FolderTensorForm]

    /// Vectors that GGUF files have and folders do not.
    func madeTensors(_ config: FolderConfiguration) throws(ModelFileError) -> [MadeTensor]
}

extension FolderFamily {
    func textConfiguration(_ config: FolderConfiguration) throws(ModelFileError) -> FolderConfiguration { config }

    func form(of name: FolderTensorName, _ config: FolderConfiguration) throws(ModelFileError) -> FolderTensorForm? {
        FolderTensorForm(name: try name.name(inLayers: FolderTensorName.transformer, config))
    }

    func forms(
        of name: FolderTensorName, _ config: FolderConfiguration
    ) throws(ModelFileError) -> [FolderTensorForm] {
        try form(of: name, config).map { [$0] } ?? []
    }

    func madeTensors(_ config: FolderConfiguration) throws(ModelFileError) -> [MadeTensor] { [] }
}

/// The name of a tensor in a folder, cut at the number of its layer.
struct FolderTensorName: Sendable, Hashable {
    /// The name in the folder.
    let full: String
    /// The number of its layer; nil if it is of none.
    let layer: Int?
    /// The name after `model.layers.3.`, or after `model.`.
    let rest: String

    init(_ full: String) {
        self.full = full
        var rest = full[...]
        for prefix in ["language_model.", "model.", "language_model."] where rest.hasPrefix(prefix) {
            rest = rest.dropFirst(prefix.count)
        }
        let fields = rest.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false)
        if fields.count == 3, fields[0] == "layers", let number = Int(fields[1]), number >= 0 {
            layer = number
            rest = fields[2]
        } else {
            layer = nil
        }
        self.rest = String(rest)
    }

    /// The name in a GGUF file, by tables of names in layers and outside of them.
    ///
    /// - Throws: ``ModelFileError`` with code `unsupportedModel` for a tensor that is in neither.
    func name(
        inLayers: [String: String], outside: [String: String] = Self.outside, _ config: FolderConfiguration
    ) throws(ModelFileError) -> String {
        if let layer {
            if let name = inLayers[rest] { return "blk.\(layer).\(name)" }
        } else if let name = outside[rest] {
            return name
        }
        throw config.unsupported("the weights have a tensor \(full)")
    }

    /// The usual names outside of layers.
    static let outside = [
        "embed_tokens.weight": "token_embd.weight", "norm.weight": "output_norm.weight",
        "lm_head.weight": "output.weight",
    ]

    /// The usual names of a layer with attention and a gated feed-forward network.
    static let transformer = [
        "input_layernorm.weight": "attn_norm.weight",
        "self_attn.q_proj.weight": "attn_q.weight", "self_attn.q_proj.bias": "attn_q.bias",
        "self_attn.k_proj.weight": "attn_k.weight", "self_attn.k_proj.bias": "attn_k.bias",
        "self_attn.v_proj.weight": "attn_v.weight", "self_attn.v_proj.bias": "attn_v.bias",
        "self_attn.o_proj.weight": "attn_output.weight", "self_attn.o_proj.bias": "attn_output.bias",
        "self_attn.q_norm.weight": "attn_q_norm.weight", "self_attn.k_norm.weight": "attn_k_norm.weight",
        "post_attention_layernorm.weight": "ffn_norm.weight",
        "mlp.gate_proj.weight": "ffn_gate.weight", "mlp.gate_proj.bias": "ffn_gate.bias",
        "mlp.up_proj.weight": "ffn_up.weight", "mlp.up_proj.bias": "ffn_up.bias",
        "mlp.down_proj.weight": "ffn_down.weight", "mlp.down_proj.bias": "ffn_down.bias",
    ]
}

extension FolderConfiguration {
    /// The sizes that every transformer has, with the values that the family's class has by default.
    ///
    /// - Parameters:
    ///   - context: the context where the file says none.
    ///   - kvHeads: the number of heads of keys and values where the file says none.
    ///   - epsilon: what norms add where the file does not say it.
    ///   - hasWindows: whether GGUF's architecture has windows; otherwise they limit the context.
    /// - Returns: the metadata.
    /// - Throws: ``ModelFileError``.
    func sizes(
        context: Int? = nil, kvHeads: Int? = nil, epsilon: Double = 1e-6, hasWindows: Bool = false
    ) throws(ModelFileError) -> [GGUFEntry] {
        let heads = try count("num_attention_heads")
        let whole = try count("max_position_embeddings", default: context)
        var entries = [
            GGUFEntry("block_count", try uint("num_hidden_layers")),
            GGUFEntry("context_length", .uint32(UInt32(hasWindows ? whole : try windowed(whole)))),
            GGUFEntry("embedding_length", try uint("hidden_size")),
            GGUFEntry("feed_forward_length", try uint("intermediate_size")),
            GGUFEntry("attention.head_count", .uint32(UInt32(heads))),
            GGUFEntry(
                "attention.head_count_kv", .uint32(UInt32(try count("num_key_value_heads", default: kvHeads ?? heads)))),
            GGUFEntry(
                "attention.layer_norm_rms_epsilon", .float32(Float(try number("rms_norm_eps", default: epsilon)))),
        ]
        if let width = try count(ifPresent: "head_dim") {
            entries.append(GGUFEntry("attention.key_length", .uint32(UInt32(width))))
            entries.append(GGUFEntry("attention.value_length", .uint32(UInt32(width))))
        }
        return entries
    }

    /// A whole number as a value of metadata.
    func uint(_ key: String) throws(ModelFileError) -> GGUFValue { .uint32(UInt32(try count(key))) }

    /// The width of a head.
    var headWidth: Int {
        get throws(ModelFileError) {
            let heads = try count("num_attention_heads")
            guard heads > 0 else { throw invalid("num_attention_heads", "is 0") }
            return try count("head_dim", default: count("hidden_size") / heads)
        }
    }

    /// The context, or the window that all layers look through if that is shorter: up to there the window changes
    /// nothing, and GGUF's architecture has none.
    private func windowed(_ context: Int) throws(ModelFileError) -> Int {
        let kinds = try texts(ifPresent: "layer_types") ?? []
        guard let window = try count(ifPresent: "sliding_window"), window > 0,
            try flag("use_sliding_window", default: true),
            kinds.isEmpty || kinds.contains(where: { $0 != "full_attention" })
        else { return context }
        return min(context, window)
    }

    /// Throws an error unless the feed-forward network has one of these activations.
    func requireActivation(_ allowed: [String], key: String = "hidden_act") throws(ModelFileError) {
        let name = try text(ifPresent: key) ?? allowed[0]
        guard allowed.contains(name) else { throw unsupported("“\(key)” is \(String(reflecting: name.prefix(40)))") }
    }
}
