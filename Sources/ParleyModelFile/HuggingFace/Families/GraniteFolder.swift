// SPDX-License-Identifier: Apache-2.0

/// Granite 3 and 4: a Llama with factors for embeddings, branches, scores and logits.
struct GraniteFolder: LlamaVariant {
    let llama = LlamaFolder(architecture: "granite")

    func entries(_ config: FolderConfiguration) throws(ModelFileError) -> [GGUFEntry] {
        var entries = try llama.entries(config)
        let factors = [
            ("attention_multiplier", "attention.scale"), ("embedding_multiplier", "embedding_scale"),
            ("residual_multiplier", "residual_scale"), ("logits_scaling", "logit_scale"),
        ]
        for (key, name) in factors where config[key] != nil {
            entries.append(GGUFEntry(name, .float32(Float(try config.number(key)))))
        }
        return entries
    }
}
