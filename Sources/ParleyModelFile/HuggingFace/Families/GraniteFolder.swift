// SPDX-License-Identifier: Apache-2.0

/// Granite 3 and 4: a Llama with factors for embeddings, branches, scores and logits.
struct GraniteFolder: FolderFamily {
    private let llama = LlamaFolder(architecture: "granite")
    var architecture: String { llama.architecture }

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

    func form(of name: FolderTensorName, _ config: FolderConfiguration) throws(ModelFileError) -> FolderTensorForm? {
        try llama.form(of: name, config)
    }

    func madeTensors(_ config: FolderConfiguration) throws(ModelFileError) -> [MadeTensor] {
        try llama.madeTensors(config)
    }
}
