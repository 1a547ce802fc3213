// SPDX-License-Identifier: Apache-2.0

extension TinyArchitecture {
    /// All architectures of models that write text.
    public static let all: [TinyArchitecture] = [
        .llama, .gemma3, .qwen2, .qwen3, .lfm2, .phi3, .smollm3, .olmo2, .granite, .ernie45, .exaone4, .qwen3moe,
        .granitemoe, .lfm2moe, .gptOSS, .mistral3, .gemma3n, .gemma4, .qwen35, .qwen35moe, .falconH1,
    ]

    /// The architecture of Llama, Mistral and SmolLM.
    public static let llama = TinyArchitecture(
        name: "llama",
        metadata: { grouped($0, "llama") + rope($0, "llama", base: 10_000) },
        shapes: { model, _ in attention(model) + gatedFeedForward(model) })

    /// Gemma 3, with norms also after attention and feed-forward, norms of queries and keys, and a sliding window in
    /// five of six layers.
    public static let gemma3 = TinyArchitecture(
        name: "gemma3", layers: 6, tokenizer: .sentencePiece,
        metadata: { model in
            grouped(model, "gemma3") + headLengths(model, "gemma3") + [
                .init("gemma3.rope.freq_base", .float32(1_000_000)),
                .init("gemma3.attention.sliding_window", .uint32(32)),
            ]
        },
        shapes: { model, _ in
            attention(model) + headNorms(model) + [.norm("post_attention_norm.weight", model.width)]
                + gatedFeedForward(model) + [.norm("post_ffw_norm.weight", model.width)]
        })

    /// Qwen 2, with biases for queries, keys and values.
    public static let qwen2 = TinyArchitecture(
        name: "qwen2",
        metadata: { grouped($0, "qwen2") + rope($0, "qwen2", base: 1_000_000) },
        shapes: { model, _ in
            attention(model) + [
                .vector("attn_q.bias", model.heads * model.headDim),
                .vector("attn_k.bias", model.keyValueHeads * model.headDim),
                .vector("attn_v.bias", model.keyValueHeads * model.headDim),
            ] + gatedFeedForward(model)
        })

    /// Qwen 3, with norms of queries and keys.
    public static let qwen3 = TinyArchitecture(
        name: "qwen3",
        metadata: { model in
            grouped(model, "qwen3") + headLengths(model, "qwen3") + [.init("qwen3.rope.freq_base", .float32(1_000_000))]
        },
        shapes: { model, _ in attention(model) + headNorms(model) + gatedFeedForward(model) })

    /// LFM2, with short convolutions in layers of even number and attention in the others.
    public static let lfm2 = TinyArchitecture(
        name: "lfm2", layers: 4, outputNorm: "token_embd_norm",
        metadata: { model in
            let heads = (0..<model.layers).map { $0.isMultiple(of: 2) ? 0 : Int32(model.keyValueHeads) }
            return [
                .init("lfm2.attention.head_count_kv", .integers(heads)),
                .init("lfm2.rope.freq_base", .float32(1_000_000)),
                .init("lfm2.shortconv.l_cache", .uint32(3)),
            ]
        },
        shapes: { model, layer in
            (layer.isMultiple(of: 2) ? shortConvolution(model) : attention(model) + headNorms(model))
                + gatedFeedForward(model)
        })

    /// Phi 3, with one matrix for queries, keys and values and one for gate and up.
    public static let phi3 = TinyArchitecture(
        name: "phi3", tokenizer: .sentencePiece,
        metadata: { grouped($0, "phi3") + rope($0, "phi3", base: 10_000) },
        shapes: { model, _ in
            [
                .norm("attn_norm.weight", model.width),
                .matrix("attn_qkv.weight", model.width, (model.heads + 2 * model.keyValueHeads) * model.headDim),
                .matrix("attn_output.weight", model.heads * model.headDim, model.width),
                .norm("ffn_norm.weight", model.width),
                .matrix("ffn_up.weight", model.width, 2 * model.feedForward),
                .matrix("ffn_down.weight", model.feedForward, model.width),
            ]
        })

    /// SmolLM3, which rotates nothing in every fourth layer.
    public static let smollm3 = TinyArchitecture(
        name: "smollm3", layers: 4,
        metadata: { grouped($0, "smollm3") + rope($0, "smollm3", base: 5_000_000) },
        shapes: { model, _ in attention(model) + gatedFeedForward(model) })

    /// OLMo 2, with norms of results, and of queries and keys as whole rows.
    public static let olmo2 = TinyArchitecture(
        name: "olmo2",
        metadata: { grouped($0, "olmo2") + rope($0, "olmo2", base: 500_000) },
        shapes: { model, _ in
            normedResults(model) + [
                .norm("attn_q_norm.weight", model.heads * model.headDim),
                .norm("attn_k_norm.weight", model.keyValueHeads * model.headDim),
            ]
        })

    /// Granite, with factors for embeddings, branches, scores and logits.
    public static let granite = TinyArchitecture(
        name: "granite",
        metadata: { model in
            grouped(model, "granite") + rope(model, "granite", base: 10_000) + [
                .init("granite.embedding_scale", .float32(3)), .init("granite.residual_scale", .float32(0.5)),
                .init("granite.attention.scale", .float32(0.125)), .init("granite.logit_scale", .float32(2)),
            ]
        },
        shapes: { model, _ in attention(model) + gatedFeedForward(model) })

    /// ERNIE 4.5.
    public static let ernie45 = TinyArchitecture(
        name: "ernie4_5",
        metadata: { grouped($0, "ernie4_5") + rope($0, "ernie4_5", base: 500_000) },
        shapes: { model, _ in attention(model) + gatedFeedForward(model) })

    /// EXAONE 4, with norms of results, and of the heads of queries and keys.
    public static let exaone4 = TinyArchitecture(
        name: "exaone4",
        metadata: { grouped($0, "exaone4") + rope($0, "exaone4", base: 1_000_000) },
        shapes: { model, _ in normedResults(model) + headNorms(model) })

    /// Qwen 3 with experts.
    public static let qwen3moe = TinyArchitecture(
        name: "qwen3moe",
        metadata: { model in
            grouped(model, "qwen3moe") + headLengths(model, "qwen3moe") + experts(model, "qwen3moe") + [
                .init("qwen3moe.rope.freq_base", .float32(1_000_000)),
                .init("qwen3moe.expert_feed_forward_length", .uint32(UInt32(model.feedForward))),
            ]
        },
        shapes: { model, _ in attention(model) + headNorms(model) + expertFeedForward(model) })

    /// Granite 3 with experts, one of which computes every token.
    public static let granitemoe = TinyArchitecture(
        name: "granitemoe",
        metadata: { model in
            grouped(model, "granitemoe") + rope(model, "granitemoe", base: 10_000) + experts(model, "granitemoe") + [
                .init("granitemoe.residual_scale", .float32(0.5)), .init("granitemoe.logit_scale", .float32(2)),
                .init("granitemoe.expert_shared_feed_forward_length", .uint32(UInt32(model.feedForward))),
            ]
        },
        shapes: { model, _ in
            attention(model) + expertFeedForward(model) + [
                .matrix("ffn_gate_shexp.weight", model.width, model.feedForward),
                .matrix("ffn_up_shexp.weight", model.width, model.feedForward),
                .matrix("ffn_down_shexp.weight", model.feedForward, model.width),
            ]
        })

    /// LFM2 with experts in all but the first layer.
    public static let lfm2moe = TinyArchitecture(
        name: "lfm2moe", layers: 4, outputNorm: "token_embd_norm",
        metadata: { model in
            let heads = (0..<model.layers).map { $0.isMultiple(of: 2) ? 0 : Int32(model.keyValueHeads) }
            return experts(model, "lfm2moe") + [
                .init("lfm2moe.attention.head_count_kv", .integers(heads)),
                .init("lfm2moe.rope.freq_base", .float32(1_000_000)),
                .init("lfm2moe.shortconv.l_cache", .uint32(3)),
                .init("lfm2moe.leading_dense_block_count", .uint32(1)),
                .init("lfm2moe.expert_gating_func", .uint32(2)),
                .init("lfm2moe.expert_feed_forward_length", .uint32(UInt32(model.feedForward))),
            ]
        },
        shapes: { model, layer in
            (layer.isMultiple(of: 2) ? shortConvolution(model) : attention(model) + headNorms(model))
                + (layer == 0
                    ? gatedFeedForward(model)
                    : expertFeedForward(model) + [.vector("exp_probs_b.bias", expertCount)])
        })

    /// gpt-oss, with experts that have biases, a sliding window in every other layer, and sinks of attention.
    public static let gptOSS = TinyArchitecture(
        name: "gpt-oss",
        metadata: { model in
            grouped(model, "gpt-oss") + rope(model, "gpt-oss", base: 150_000) + experts(model, "gpt-oss") + [
                .init("gpt-oss.attention.sliding_window", .uint32(32)),
                .init("gpt-oss.expert_feed_forward_length", .uint32(UInt32(model.feedForward))),
            ]
        },
        shapes: { model, _ in
            attention(model) + expertFeedForward(model).filter { $0.kind != .norm } + [
                .norm("post_attention_norm.weight", model.width),
                .vector("attn_sinks.weight", model.heads),
                .vector("attn_output.bias", model.width),
                .vector("ffn_gate_inp.bias", expertCount),
                .vector("ffn_gate_exps.bias", model.feedForward, expertCount),
                .vector("ffn_up_exps.bias", model.feedForward, expertCount),
                .vector("ffn_down_exps.bias", model.width, expertCount),
            ]
        })

    /// Ministral 3, whose attention scores grow with the position, with a rotation for contexts longer than trained.
    public static let mistral3 = TinyArchitecture(
        name: "mistral3",
        metadata: { model in
            grouped(model, "mistral3") + rope(model, "mistral3", base: 1_000_000) + [
                .init("mistral3.rope.scaling.type", .string("yarn")),
                .init("mistral3.rope.scaling.factor", .float32(4)),
                .init("mistral3.rope.scaling.original_context_length", .uint32(16)),
                .init("mistral3.rope.scaling.yarn_log_multiplier", .float32(1)),
                .init("mistral3.attention.temperature_scale", .float32(0.5)),
            ]
        },
        shapes: { model, _ in attention(model) + gatedFeedForward(model) })

    /// Qwen 3.5, with gated delta nets in layers of even number and gated attention in the others.
    public static let qwen35 = TinyArchitecture(
        name: "qwen35",
        metadata: { qwen35Metadata($0, "qwen35") },
        shapes: { model, layer in
            qwen35Mixer(model, layer) + gatedFeedForward(model, norm: "post_attention_norm.weight")
        })

    /// Qwen 3.5 with experts, one of which computes every token and has a gate.
    public static let qwen35moe = TinyArchitecture(
        name: "qwen35moe",
        metadata: { model in
            qwen35Metadata(model, "qwen35moe") + experts(model, "qwen35moe") + [
                .init("qwen35moe.expert_feed_forward_length", .uint32(UInt32(model.feedForward))),
                .init("qwen35moe.expert_shared_feed_forward_length", .uint32(UInt32(model.feedForward))),
            ]
        },
        shapes: { model, layer in
            qwen35Mixer(model, layer) + expertFeedForward(model).filter { $0.kind != .norm } + [
                .norm("post_attention_norm.weight", model.width),
                .vector("ffn_gate_inp_shexp.weight", model.width),
                .matrix("ffn_gate_shexp.weight", model.width, model.feedForward),
                .matrix("ffn_up_shexp.weight", model.width, model.feedForward),
                .matrix("ffn_down_shexp.weight", model.feedForward, model.width),
            ]
        })

    /// Falcon-H1, with a state space beside attention in each layer.
    public static let falconH1 = TinyArchitecture(
        name: "falcon-h1",
        metadata: { model in
            grouped(model, "falcon-h1") + rope(model, "falcon-h1", base: 100_000) + linearAttention(model, "falcon-h1")
        },
        shapes: { model, _ in
            attention(model) + gatedFeedForward(model, norm: "ffn_norm") + [
                .matrix(
                    "ssm_in.weight", model.width, model.heads * model.headDim + channels(model) + model.heads),
                .vector("ssm_conv1d.weight", 4, channels(model)),
                .vector("ssm_conv1d.bias", channels(model)),
                .vector("ssm_dt.bias", model.heads),
                .vector("ssm_a", 1, model.heads),
                .vector("ssm_d", 1, model.heads),
                .norm("ssm_norm.weight", model.heads * model.headDim),
                .matrix("ssm_out.weight", model.heads * model.headDim, model.width),
            ]
        })

    /// BERT, an encoder that makes embeddings; as in MiniLM, they are the mean of all tokens.
    public static let bert = TinyArchitecture(
        name: "bert", tokenizer: .wordPieces, outputNorm: "token_embd_norm",
        epsilonKey: "attention.layer_norm_epsilon",
        metadata: { _ in
            [
                .init("bert.attention.causal", .bool(false)),
                .init("bert.pooling_type", .uint32(1)),
                .init("tokenizer.ggml.token_type_count", .uint32(2)),
            ]
        },
        wholeShapes: { model in
            [
                .vector("token_embd_norm.bias", model.width),
                .vector("position_embd.weight", model.width, model.context),
                .vector("token_types.weight", model.width, 2),
            ]
        },
        shapes: { model, _ in
            ["attn_q", "attn_k", "attn_v", "attn_output"].flatMap { name in
                [.matrix("\(name).weight", model.width, model.width), .vector("\(name).bias", model.width)]
            } + layerNorm("attn_output_norm", model) + [
                .matrix("ffn_up.weight", model.width, model.feedForward), .vector("ffn_up.bias", model.feedForward),
                .matrix("ffn_down.weight", model.feedForward, model.width), .vector("ffn_down.bias", model.width),
            ] + layerNorm("layer_output_norm", model)
        })
}

/// Metadata and tensors that several architectures have in common.
extension TinyArchitecture {
    private static func grouped(_ model: TinyModel, _ prefix: String) -> [GGUFWriter.Entry] {
        [.init("\(prefix).attention.head_count_kv", .uint32(UInt32(model.keyValueHeads)))]
    }

    private static func headLengths(_ model: TinyModel, _ prefix: String) -> [GGUFWriter.Entry] {
        [
            .init("\(prefix).attention.key_length", .uint32(UInt32(model.headDim))),
            .init("\(prefix).attention.value_length", .uint32(UInt32(model.headDim))),
        ]
    }

    static func rope(_ model: TinyModel, _ prefix: String, base: Float) -> [GGUFWriter.Entry] {
        [
            .init("\(prefix).rope.freq_base", .float32(base)),
            .init("\(prefix).rope.dimension_count", .uint32(UInt32(model.headDim))),
        ]
    }

    private static func attention(_ model: TinyModel) -> [Shape] {
        [
            .norm("attn_norm.weight", model.width),
            .matrix("attn_q.weight", model.width, model.heads * model.headDim),
            .matrix("attn_k.weight", model.width, model.keyValueHeads * model.headDim),
            .matrix("attn_v.weight", model.width, model.keyValueHeads * model.headDim),
            .matrix("attn_output.weight", model.heads * model.headDim, model.width),
        ]
    }

    private static func headNorms(_ model: TinyModel) -> [Shape] {
        [.norm("attn_q_norm.weight", model.headDim), .norm("attn_k_norm.weight", model.headDim)]
    }

    private static func qwen35Metadata(_ model: TinyModel, _ prefix: String) -> [GGUFWriter.Entry] {
        grouped(model, prefix) + headLengths(model, prefix) + linearAttention(model, prefix) + [
            .init("\(prefix).rope.freq_base", .float32(10_000_000)),
            .init("\(prefix).rope.dimension_count", .uint32(UInt32(model.headDim / 2))),
            .init("\(prefix).rope.dimension_sections", .integers([2, 1, 1, 0])),
            .init("\(prefix).full_attention_interval", .uint32(2)),
        ]
    }

    private static func qwen35Mixer(_ model: TinyModel, _ layer: Int) -> [Shape] {
        layer.isMultiple(of: 2) ? deltaNet(model) : gatedAttention(model) + headNorms(model)
    }

    /// Attention whose result is multiplied by a gate.
    private static func gatedAttention(_ model: TinyModel) -> [Shape] {
        attention(model).filter { $0.name != "attn_q.weight" }
            + [.matrix("attn_q.weight", model.width, 2 * model.heads * model.headDim)]
    }

    /// The sizes of linear attention: as many heads as attention has, of their width.
    private static func linearAttention(_ model: TinyModel, _ prefix: String) -> [GGUFWriter.Entry] {
        [
            .init("\(prefix).ssm.conv_kernel", .uint32(4)),
            .init("\(prefix).ssm.state_size", .uint32(UInt32(model.headDim))),
            .init("\(prefix).ssm.time_step_rank", .uint32(UInt32(model.heads))),
            .init("\(prefix).ssm.group_count", .uint32(UInt32(model.keyValueHeads))),
            .init("\(prefix).ssm.inner_size", .uint32(UInt32(model.heads * model.headDim))),
        ]
    }

    /// The width of queries, keys and values of linear attention together.
    private static func channels(_ model: TinyModel) -> Int {
        (model.heads + 2 * model.keyValueHeads) * model.headDim
    }

    private static func deltaNet(_ model: TinyModel) -> [Shape] {
        [
            .norm("attn_norm.weight", model.width),
            .matrix("attn_qkv.weight", model.width, channels(model)),
            .matrix("attn_gate.weight", model.width, model.heads * model.headDim),
            .matrix("ssm_beta.weight", model.width, model.heads),
            .matrix("ssm_alpha.weight", model.width, model.heads),
            .vector("ssm_conv1d.weight", 4, channels(model)),
            .vector("ssm_dt.bias", model.heads),
            .vector("ssm_a", model.heads),
            .norm("ssm_norm.weight", model.headDim),
            .matrix("ssm_out.weight", model.heads * model.headDim, model.width),
        ]
    }

    static let expertCount = 4

    static func experts(_ model: TinyModel, _ prefix: String) -> [GGUFWriter.Entry] {
        [
            .init("\(prefix).expert_count", .uint32(UInt32(expertCount))),
            .init("\(prefix).expert_used_count", .uint32(2)),
        ]
    }

    /// A feed-forward network of experts.
    private static func expertFeedForward(_ model: TinyModel) -> [Shape] {
        [
            .norm("ffn_norm.weight", model.width),
            .matrix("ffn_gate_inp.weight", model.width, expertCount),
            .matrices("ffn_gate_exps.weight", model.width, model.feedForward, count: expertCount),
            .matrices("ffn_up_exps.weight", model.width, model.feedForward, count: expertCount),
            .matrices("ffn_down_exps.weight", model.feedForward, model.width, count: expertCount),
        ]
    }

    /// Attention and a feed-forward network whose results are normalised, not their inputs.
    private static func normedResults(_ model: TinyModel) -> [Shape] {
        (attention(model) + gatedFeedForward(model)).filter { $0.kind != .norm }
            + [.norm("post_attention_norm.weight", model.width), .norm("post_ffw_norm.weight", model.width)]
    }

    private static func layerNorm(_ name: String, _ model: TinyModel) -> [Shape] {
        [.norm("\(name).weight", model.width), .vector("\(name).bias", model.width)]
    }

    private static func shortConvolution(_ model: TinyModel) -> [Shape] {
        [
            .norm("attn_norm.weight", model.width),
            .vector("shortconv.conv.weight", 3, model.width),
            .matrix("shortconv.in_proj.weight", model.width, 3 * model.width),
            .matrix("shortconv.out_proj.weight", model.width, model.width),
        ]
    }

    static func gatedFeedForward(_ model: TinyModel, norm: String = "ffn_norm.weight") -> [Shape] {
        [
            .norm(norm, model.width),
            .matrix("ffn_gate.weight", model.width, model.feedForward),
            .matrix("ffn_up.weight", model.width, model.feedForward),
            .matrix("ffn_down.weight", model.feedForward, model.width),
        ]
    }
}
