// SPDX-License-Identifier: Apache-2.0

/// BERT and the encoders of its form, such as MiniLM.
struct BERTFolder: FolderFamily {
    let architecture = "bert"

    func entries(_ config: FolderConfiguration) throws(ModelFileError) -> [GGUFEntry] {
        try config.requireActivation(["gelu"])
        let kind = try config.text(ifPresent: "position_embedding_type") ?? "absolute"
        guard kind == "absolute" else {
            throw config.unsupported("“position_embedding_type” is \(String(reflecting: String(kind.prefix(40))))")
        }
        return [
            GGUFEntry("block_count", try config.uint("num_hidden_layers")),
            GGUFEntry("context_length", try config.uint("max_position_embeddings")),
            GGUFEntry("embedding_length", try config.uint("hidden_size")),
            GGUFEntry("feed_forward_length", try config.uint("intermediate_size")),
            GGUFEntry("attention.head_count", try config.uint("num_attention_heads")),
            GGUFEntry(
                "attention.layer_norm_epsilon", .float32(Float(try config.number("layer_norm_eps", default: 1e-12)))),
            GGUFEntry("attention.causal", .bool(false)),
        ]
    }

    func form(of name: FolderTensorName, _ config: FolderConfiguration) throws(ModelFileError) -> FolderTensorForm? {
        let full = name.full.hasPrefix("bert.") ? String(name.full.dropFirst(5)) : name.full
        // What embeddings do not use.
        if full.hasPrefix("pooler.") || full.hasPrefix("cls.") || full == "embeddings.position_ids" { return nil }
        let fields = full.split(separator: ".")
        guard let ending = fields.last, ending == "weight" || ending == "bias" else {
            throw config.unsupported("the weights have a tensor \(name.full)")
        }
        if fields.count > 4, fields[0] == "encoder", fields[1] == "layer", let layer = Int(fields[2]), layer >= 0,
            let part = Self.layerNames[fields[3..<fields.count - 1].joined(separator: ".")]
        {
            return FolderTensorForm(name: "blk.\(layer).\(part).\(ending)")
        }
        guard fields.count == 3, fields[0] == "embeddings", let part = Self.outerNames[String(fields[1])] else {
            throw config.unsupported("the weights have a tensor \(name.full)")
        }
        var form = FolderTensorForm(name: "\(part).\(ending)")
        form.isFloat = part == "position_embd" || part == "token_types"
        return form
    }

    private static let outerNames = [
        "word_embeddings": "token_embd", "position_embeddings": "position_embd",
        "token_type_embeddings": "token_types", "LayerNorm": "token_embd_norm",
    ]
    private static let layerNames = [
        "attention.self.query": "attn_q", "attention.self.key": "attn_k", "attention.self.value": "attn_v",
        "attention.output.dense": "attn_output", "attention.output.LayerNorm": "attn_output_norm",
        "intermediate.dense": "ffn_up", "output.dense": "ffn_down", "output.LayerNorm": "layer_output_norm",
    ]
}
