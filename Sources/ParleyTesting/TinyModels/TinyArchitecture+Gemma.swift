// SPDX-License-Identifier: Apache-2.0

extension TinyArchitecture {
    /// Gemma 3n, with four hidden states, sparse gates in the first layer, and embeddings of each layer; their width, and
    /// the rank of residual layers, are those of all published models.
    public static let gemma3n = TinyArchitecture(
        name: "gemma3n", layers: 3,
        metadata: { model in
            let (width, heads) = (UInt32(model.headDim), UInt32(model.keyValueHeads))
            return layerEmbedding(model, "gemma3n", width: 256) + [
                .init("gemma3n.attention.head_count_kv", .uint32(heads)),
                .init("gemma3n.attention.key_length", .uint32(width)),
                .init("gemma3n.attention.value_length", .uint32(width)),
                .init("gemma3n.rope.freq_base", .float32(1_000_000)),
                .init("gemma3n.attention.sliding_window", .uint32(32)),
                .init("gemma3n.attention.sliding_window_pattern", .bools((0..<model.layers).map { $0 % 3 != 2 })),
                .init("gemma3n.altup.num_inputs", .uint32(4)),
                .init("gemma3n.altup.active_idx", .uint32(0)),
                .init(
                    "gemma3n.activation_sparsity_scale",
                    .floats((0..<model.layers).map { $0 < 10 ? 1.644_853_4 : -.infinity })),
            ]
        },
        wholeShapes: { model in
            layerEmbedding(model, width: 256)
                + ["altup_proj.weight", "altup_unembd_proj.weight"].map {
                    .matrices($0, model.width, model.width, count: 3)
                }
        },
        shapes: { model, _ in
            gemmaAttention(model, headDim: model.headDim, keyValueHeads: model.keyValueHeads)
                + gatedFeedForward(model) + layerEmbeddingBranch(model, width: 256) + [
                    .norm("post_ffw_norm.weight", model.width),
                    .norm("altup_router_norm.weight", model.width), .matrix("altup_router.weight", model.width, 4),
                    .matrix("altup_predict_coef.weight", 4, 16), .matrix("altup_correct_coef.weight", 4, 4),
                    .norm("altup_correct_scale.weight", model.width),
                    .matrix("laurel_l.weight", model.width, 64), .matrix("laurel_r.weight", 64, model.width),
                    .norm("laurel_post_norm.weight", model.width),
                ]
        })

    /// Gemma 4, with wider heads in every third layer, whose values are the keys; layers that attend to the keys of others,
    /// if there are five or more; experts beside every other feed-forward network; and embeddings of each layer.
    public static let gemma4 = TinyArchitecture(
        name: "gemma4", layers: 5,
        metadata: { model in
            let slides = (0..<model.layers).map { $0 % 3 != 2 }
            return layerEmbedding(model, "gemma4", width: layerEmbeddingWidth) + experts(model, "gemma4") + [
                .init("gemma4.attention.head_count_kv", .integers(slides.map { $0 ? Int32(model.keyValueHeads) : 1 })),
                .init("gemma4.attention.key_length", .uint32(UInt32(2 * model.headDim))),
                .init("gemma4.attention.value_length", .uint32(UInt32(2 * model.headDim))),
                .init("gemma4.attention.key_length_swa", .uint32(UInt32(model.headDim))),
                .init("gemma4.attention.value_length_swa", .uint32(UInt32(model.headDim))),
                .init("gemma4.rope.dimension_count", .uint32(UInt32(2 * model.headDim))),
                .init("gemma4.rope.dimension_count_swa", .uint32(UInt32(model.headDim))),
                .init("gemma4.rope.freq_base", .float32(1_000_000)),
                .init("gemma4.rope.freq_base_swa", .float32(10_000)),
                .init("gemma4.attention.sliding_window", .uint32(32)),
                .init("gemma4.attention.sliding_window_pattern", .bools(slides)),
                .init("gemma4.attention.shared_kv_layers", .uint32(UInt32(sharedLayers(model)))),
                .init("gemma4.expert_feed_forward_length", .uint32(UInt32(model.feedForward))),
                .init("gemma4.final_logit_softcapping", .float32(30)),
            ]
        },
        wholeShapes: { model in
            layerEmbedding(model, width: layerEmbeddingWidth) + [.norm("rope_freqs.weight", model.headDim)]
        },
        shapes: { model, layer in
            let slides = layer % 3 != 2
            let headDim = slides ? model.headDim : 2 * model.headDim
            return gemmaAttention(
                model, headDim: headDim, keyValueHeads: slides ? model.keyValueHeads : 1,
                hasKeys: layer < model.layers - sharedLayers(model), hasValues: slides)
                + gatedFeedForward(model) + [
                    .norm("post_ffw_norm.weight", model.width), .norm("layer_output_scale.weight", 1),
                ] + (layer.isMultiple(of: 2) ? [] : besideExperts(model, areJoined: layer == 1))
                + layerEmbeddingBranch(model, width: layerEmbeddingWidth)
        })

    private static let layerEmbeddingWidth = 32

    private static func sharedLayers(_ model: TinyModel) -> Int { model.layers < 5 ? 0 : 2 }

    private static func layerEmbedding(_ model: TinyModel, _ prefix: String, width: Int) -> [GGUFWriter.Entry] {
        [.init("\(prefix).embedding_length_per_layer_input", .uint32(UInt32(width)))]
    }

    private static func layerEmbedding(_ model: TinyModel, width: Int) -> [Shape] {
        [
            .matrix("per_layer_token_embd.weight", width * model.layers, model.tokenizer.tokens.count),
            .matrix("per_layer_model_proj.weight", model.width, width * model.layers),
            .norm("per_layer_proj_norm.weight", width),
        ]
    }

    private static func layerEmbeddingBranch(_ model: TinyModel, width: Int) -> [Shape] {
        [
            .matrix("inp_gate.weight", model.width, width), .matrix("proj.weight", width, model.width),
            .norm("post_norm.weight", model.width),
        ]
    }

    private static func gemmaAttention(
        _ model: TinyModel, headDim: Int, keyValueHeads: Int, hasKeys: Bool = true, hasValues: Bool = true
    ) -> [Shape] {
        let keys = keyValueHeads * headDim
        return [
            .norm("attn_norm.weight", model.width),
            .matrix("attn_q.weight", model.width, model.heads * headDim),
            .matrix("attn_output.weight", model.heads * headDim, model.width),
            .norm("attn_q_norm.weight", headDim),
            .norm("post_attention_norm.weight", model.width),
        ] + (hasKeys ? [.matrix("attn_k.weight", model.width, keys), .norm("attn_k_norm.weight", headDim)] : [])
            + (hasKeys && hasValues ? [.matrix("attn_v.weight", model.width, keys)] : [])
    }

    /// Experts beside a feed-forward network, whose gates and ups may be in one tensor.
    private static func besideExperts(_ model: TinyModel, areJoined: Bool) -> [Shape] {
        let gates: [Shape] =
            areJoined
            ? [.matrices("ffn_gate_up_exps.weight", model.width, 2 * model.feedForward, count: expertCount)]
            : [
                .matrices("ffn_gate_exps.weight", model.width, model.feedForward, count: expertCount),
                .matrices("ffn_up_exps.weight", model.width, model.feedForward, count: expertCount),
            ]
        return gates + [
            .matrices("ffn_down_exps.weight", model.feedForward, model.width, count: expertCount),
            .norm("ffn_down_exps.scale", expertCount),
            .matrix("ffn_gate_inp.weight", model.width, expertCount),
            .norm("ffn_gate_inp.scale", model.width),
            .norm("post_ffw_norm_1.weight", model.width),
            .norm("pre_ffw_norm_2.weight", model.width),
            .norm("post_ffw_norm_2.weight", model.width),
        ]
    }
}
