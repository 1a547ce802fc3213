// SPDX-License-Identifier: Apache-2.0

/// A family that is a Llama with something more.
protocol LlamaVariant: FolderFamily {
    /// The Llama, under the family's name of architecture.
    var llama: LlamaFolder { get }
}

extension LlamaVariant {
    var architecture: String { llama.architecture }

    func form(of name: FolderTensorName, _ config: FolderConfiguration) throws(ModelFileError) -> FolderTensorForm? {
        try llama.form(of: name, config)
    }

    func madeTensors(_ config: FolderConfiguration) throws(ModelFileError) -> [MadeTensor] {
        try llama.madeTensors(config)
    }
}

/// Llama 2 and 3, Mistral, SmolLM2, TinyLlama.
struct LlamaFolder: FolderFamily {
    var architecture = "llama"

    func entries(_ config: FolderConfiguration) throws(ModelFileError) -> [GGUFEntry] {
        try config.requireActivation(["silu"])
        return try config.sizes(context: 2_048) + FolderRotation(config).entries() + [
            GGUFEntry("rope.dimension_count", .uint32(UInt32(try config.headWidth)))
        ]
    }

    func form(of name: FolderTensorName, _ config: FolderConfiguration) throws(ModelFileError) -> FolderTensorForm? {
        // Old folders have the frequencies of the rotary embedding, which follow from its base.
        if name.rest.hasSuffix("rotary_emb.inv_freq") { return nil }
        var form = FolderTensorForm(name: try name.name(inLayers: FolderTensorName.transformer, config))
        let heads = try config.count("num_attention_heads")
        switch name.rest {
        case "self_attn.q_proj.weight", "self_attn.q_proj.bias": form.rows = .interleaved(heads: heads)
        case "self_attn.k_proj.weight", "self_attn.k_proj.bias":
            form.rows = .interleaved(heads: try config.count("num_key_value_heads", default: heads))
        default: break
        }
        return form
    }

    func madeTensors(_ config: FolderConfiguration) throws(ModelFileError) -> [MadeTensor] {
        guard let factors = try FolderRotation(config).llama3Factors(headWidth: config.headWidth) else { return [] }
        return [MadeTensor("rope_freqs.weight", factors)]
    }
}
