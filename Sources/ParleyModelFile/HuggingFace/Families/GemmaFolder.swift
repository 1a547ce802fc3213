// SPDX-License-Identifier: Apache-2.0

/// Gemma 3, text: alone, or as the part for text of a model that also sees images.
struct GemmaFolder: FolderFamily {
    let architecture = "gemma3"

    func textConfiguration(_ config: FolderConfiguration) throws(ModelFileError) -> FolderConfiguration {
        config.part("text_config") ?? config
    }

    func entries(_ config: FolderConfiguration) throws(ModelFileError) -> [GGUFEntry] {
        try config.requireActivation(["gelu_pytorch_tanh"], key: "hidden_activation")
        let width = try config.count("head_dim", default: 256)
        // 27B divides by the width that heads would have if they filled the hidden state, which the engine knows.
        let scale = try config.count("query_pre_attn_scalar", default: 256)
        let layers = try config.count("num_hidden_layers")
        let heads = try config.count("num_attention_heads", default: 8)
        let hidden = try config.count("hidden_size")
        guard scale == width || layers == 62 && heads > 0 && scale == hidden / heads else {
            throw config.unsupported("“query_pre_attn_scalar” is \(scale)")
        }
        for key in ["attn_logit_softcapping", "final_logit_softcapping"] where config[key] != nil {
            throw config.unsupported("“\(key)” is set")
        }
        let rotations = config.part("rope_parameters")
        let rotation = try FolderRotation(rotations?.part("full_attention") ?? config, base: 1_000_000)
        return [
            GGUFEntry("context_length", .uint32(UInt32(try config.count("max_position_embeddings", default: 131_072)))),
            GGUFEntry("embedding_length", .uint32(UInt32(hidden))),
            GGUFEntry("block_count", .uint32(UInt32(layers))),
            GGUFEntry("feed_forward_length", try config.uint("intermediate_size")),
            GGUFEntry("attention.head_count", .uint32(UInt32(heads))),
            GGUFEntry(
                "attention.head_count_kv", .uint32(UInt32(try config.count("num_key_value_heads", default: 4)))),
            GGUFEntry("attention.key_length", .uint32(UInt32(width))),
            GGUFEntry("attention.value_length", .uint32(UInt32(width))),
            GGUFEntry(
                "attention.layer_norm_rms_epsilon", .float32(Float(try config.number("rms_norm_eps", default: 1e-6)))),
        ] + (try rotation.entries()) + [
            GGUFEntry(
                "rope.freq_base_swa",
                .float32(Float(try localBase(config)))),
            GGUFEntry("attention.sliding_window", .uint32(UInt32(try config.count("sliding_window", default: 4_096)))),
            GGUFEntry("attention.sliding_window_pattern", try pattern(config, layers: layers)),
        ]
    }

    /// The base of the rotary embedding of layers with a window.
    private func localBase(_ config: FolderConfiguration) throws(ModelFileError) -> Double {
        let local = config.part("rope_parameters")?.part("sliding_attention")
        if let local { return try local.number("rope_theta", default: 10_000) }
        return try config.number("rope_local_base_freq", default: 10_000)
    }

    /// Which layers look through a window.
    private func pattern(_ config: FolderConfiguration, layers: Int) throws(ModelFileError) -> GGUFValue {
        if let kinds = try config.texts(ifPresent: "layer_types") {
            guard kinds.count == layers else { throw config.invalid("layer_types", "has \(kinds.count) entries") }
            return .bools(kinds.map { $0 == "sliding_attention" })
        }
        let period = max(try config.count("sliding_window_pattern", default: 6), 1)
        return .bools((0..<layers).map { ($0 + 1) % period != 0 })
    }

    func form(of name: FolderTensorName, _ config: FolderConfiguration) throws(ModelFileError) -> FolderTensorForm? {
        // The parts for images; the head is the embedding.
        if name.full.contains("vision_tower.") || name.full.contains("multi_modal_projector.") { return nil }
        if name.rest == "lm_head.weight" { return nil }
        var names = FolderTensorName.transformer
        names["post_attention_layernorm.weight"] = "post_attention_norm.weight"
        names["pre_feedforward_layernorm.weight"] = "ffn_norm.weight"
        names["post_feedforward_layernorm.weight"] = "post_ffw_norm.weight"
        var form = FolderTensorForm(name: try name.name(inLayers: names, config))
        if name.rest.hasSuffix("norm.weight") { form.addend = 1 }
        return form
    }
}
