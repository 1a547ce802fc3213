// SPDX-License-Identifier: Apache-2.0

/// LFM2: short convolutions in most layers, attention in the others.
struct LFM2Folder: FolderFamily {
    var architecture = "lfm2"

    func entries(_ config: FolderConfiguration) throws(ModelFileError) -> [GGUFEntry] {
        try entries(config, feedForward: feedForwardWidth(config))
    }

    /// The metadata, with a width of the feed-forward networks.
    func entries(_ config: FolderConfiguration, feedForward: Int) throws(ModelFileError) -> [GGUFEntry] {
        let layers = try config.count("num_hidden_layers")
        let kvHeads = try config.count("num_key_value_heads")
        guard try !config.flag("conv_bias", default: false) else { throw config.unsupported("“conv_bias” is set") }
        return [
            GGUFEntry("block_count", .uint32(UInt32(layers))),
            GGUFEntry("context_length", try config.uint("max_position_embeddings")),
            GGUFEntry("embedding_length", try config.uint("hidden_size")),
            GGUFEntry("feed_forward_length", .uint32(UInt32(feedForward))),
            GGUFEntry("attention.head_count", try config.uint("num_attention_heads")),
            GGUFEntry(
                "attention.head_count_kv",
                .integers(try attends(config, layers: layers).map { $0 ? Int32(clamping: kvHeads) : 0 })),
            GGUFEntry(
                "attention.layer_norm_rms_epsilon", .float32(Float(try config.number("norm_eps", default: 1e-5)))),
            GGUFEntry("shortconv.l_cache", try config.uint("conv_L_cache")),
        ] + (try FolderRotation(config, base: 1_000_000).entries())
    }

    private func attends(_ config: FolderConfiguration, layers: Int) throws(ModelFileError) -> [Bool] {
        if let kinds = try config.texts(ifPresent: "layer_types") {
            guard kinds.count == layers else { throw config.invalid("layer_types", "has \(kinds.count) entries") }
            return kinds.map { $0 == "full_attention" }
        }
        guard let indices = try config.counts(ifPresent: "full_attn_idxs") else {
            throw config.invalid("layer_types", "is missing")
        }
        return (0..<layers).map(Set(indices).contains)
    }

    private func feedForwardWidth(_ config: FolderConfiguration) throws(ModelFileError) -> Int {
        let width = try config.count("block_ff_dim", or: nil, default: config.count("intermediate_size", default: 0))
        guard try config.flag("block_auto_adjust_ff_dim", default: true) else { return width }
        let factor = try config.number("block_ffn_dim_multiplier", default: 1)
        let unit = max(try config.count("block_multiple_of", default: 256), 1)
        let scaled = Double(2 * width / 3) * factor
        // What remains of 32 bits is for rounding up.
        guard (0...Double(Int(UInt32.max) - unit)).contains(scaled) else {
            throw config.invalid("block_ffn_dim_multiplier", "is out of range")
        }
        return (Int(scaled) + unit - 1) / unit * unit
    }

    func form(of name: FolderTensorName, _ config: FolderConfiguration) throws(ModelFileError) -> FolderTensorForm? {
        let names = [
            "operator_norm.weight": "attn_norm.weight", "ffn_norm.weight": "ffn_norm.weight",
            "self_attn.q_proj.weight": "attn_q.weight", "self_attn.k_proj.weight": "attn_k.weight",
            "self_attn.v_proj.weight": "attn_v.weight", "self_attn.out_proj.weight": "attn_output.weight",
            "self_attn.q_layernorm.weight": "attn_q_norm.weight", "self_attn.k_layernorm.weight": "attn_k_norm.weight",
            "conv.conv.weight": "shortconv.conv.weight", "conv.in_proj.weight": "shortconv.in_proj.weight",
            "conv.out_proj.weight": "shortconv.out_proj.weight",
            "feed_forward.w1.weight": "ffn_gate.weight", "feed_forward.w2.weight": "ffn_down.weight",
            "feed_forward.w3.weight": "ffn_up.weight",
        ]
        var outside = FolderTensorName.outside
        outside["embedding_norm.weight"] = "token_embd_norm.weight"
        var form = FolderTensorForm(name: try name.name(inLayers: names, outside: outside, config))
        if name.rest == "conv.conv.weight" {
            form.isFloat = true
            form.columns = try config.count("conv_L_cache")
        }
        return form
    }
}
