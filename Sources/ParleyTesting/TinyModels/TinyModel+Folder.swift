// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif
package import ParleyJSON

extension TinyModel {
    /// Writes the model as a folder in the form of Hugging Face's `transformers`, with the same weights as its GGUF file.
    ///
    /// The encoding must be one that such folders have: F32, F16 or BF16. All architectures of models that write text
    /// can be written; only byte pairs become a `tokenizer.json`.
    ///
    /// - Parameters:
    ///   - directory: the folder, which is created.
    ///   - shards: the number of files of weights.
    ///   - changing: changes `config.json` before it is written.
    /// - Throws: errors from Foundation.
    package func writeFolder(
        to directory: URL, shards: Int = 1, changing: (inout JSONObject) -> Void = { _ in }
    ) throws {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        var config = configuration
        changing(&config)
        func write(_ value: JSONValue, _ name: String) throws {
            try Data(value.text().utf8).write(to: directory.appending(path: name))
        }
        try write(.object(config), "config.json")
        try write(tokenizer.folderDocument, "tokenizer.json")
        try write(
            [
                "bos_token": "<|im_start|>", "eos_token": ["content": "<|im_end|>"], "unk_token": "<|endoftext|>",
                "chat_template": .string(TinyTokenizer.chatTemplate),
            ], "tokenizer_config.json")
        let tensors = folderTensors()
        guard shards > 1 else {
            try SafetensorsWriter(tensors).data.write(to: directory.appending(path: "model.safetensors"))
            return
        }
        var map = JSONObject()
        for shard in 0..<shards {
            let name = "model-\(shard + 1).safetensors"
            let part = tensors.indices.filter { $0 % shards == shard }.map { tensors[$0] }
            try SafetensorsWriter(part).data.write(to: directory.appending(path: name))
            for tensor in part { map[tensor.name] = .string(name) }
        }
        try write(["metadata": [:], "weight_map": .object(map)], "model.safetensors.index.json")
    }

    /// The name of the family in `config.json`, and what that file says.
    private var configuration: JSONObject {
        let family = Self.families[architecture.name] ?? architecture.name
        var values: JSONObject = [
            "model_type": .string(family), "_name_or_path": "tiny/Tiny random model",
            "hidden_size": .integer(width), "num_hidden_layers": .integer(layers),
            "num_attention_heads": .integer(heads), "num_key_value_heads": .integer(keyValueHeads),
            "head_dim": .integer(headDim), "intermediate_size": .integer(feedForward),
            "max_position_embeddings": .integer(context), "rms_norm_eps": .number(1e-5),
            "vocab_size": .integer(tokenizer.tokens.count), "tie_word_embeddings": .bool(tiesEmbeddings),
            "rope_theta": .number(Self.rotationBases[architecture.name] ?? 1e6),
        ]
        switch architecture.name {
        case "gemma3":
            values["hidden_activation"] = "gelu_pytorch_tanh"
            values["query_pre_attn_scalar"] = .integer(headDim)
            values["sliding_window"] = 32
        case "lfm2", "lfm2moe":
            values["norm_eps"] = .number(1e-5)
            values["conv_L_cache"] = 3
            values["block_auto_adjust_ff_dim"] = false
            values["layer_types"] = .array(
                (0..<layers).map { $0.isMultiple(of: 2) ? "conv" : "full_attention" })
        case "granite":
            values["hidden_act"] = "silu"
            values["embedding_multiplier"] = .number(3)
            values["residual_multiplier"] = .number(0.5)
            values["attention_multiplier"] = .number(0.125)
            values["logits_scaling"] = .number(2)
        case "granitemoe":
            values["residual_multiplier"] = .number(0.5)
            values["logits_scaling"] = .number(2)
            values["shared_intermediate_size"] = .integer(feedForward)
        case "mistral3":
            values["rope_parameters"] = [
                "rope_type": "yarn", "factor": .number(4), "original_max_position_embeddings": 16, "mscale": .number(1),
                "mscale_all_dim": .number(1), "llama_4_scaling_beta": .number(0.5), "rope_theta": .number(1e6),
            ]
        case "gpt-oss": values["sliding_window"] = 32
        default: values["hidden_act"] = "silu"
        }
        if let metadata = architecture.metadata(self).first(where: { $0.key.hasSuffix(".expert_count") }),
            case .uint32(let count) = metadata.value
        {
            values["num_experts"] = .integer(Int(count))
            values["num_local_experts"] = .integer(Int(count))
            values["num_experts_per_tok"] = 2
            values["moe_intermediate_size"] = .integer(feedForward)
            values["num_dense_layers"] = 1
            values["norm_topk_prob"] = true
        }
        return values
    }

    /// The names of families in `config.json` that are not those of architectures.
    private static let families = [
        "gemma3": "gemma3_text", "qwen3moe": "qwen3_moe", "lfm2moe": "lfm2_moe", "gpt-oss": "gpt_oss",
        "mistral3": "ministral3",
    ]

    /// All tensors, with experts in the way of their family.
    private func folderTensors() -> [SafetensorsWriter.Tensor] {
        let tensors = writer().tensors
        let byName = Dictionary(uniqueKeysWithValues: tensors.map { ($0.name, $0) })
        let isAlternate = architecture.name == "gpt-oss"
        return tensors.flatMap { tensor -> [SafetensorsWriter.Tensor] in
            let made = folderTensor(tensor)
            switch architecture.name {
            case "qwen3moe", "lfm2moe": return tensor.dimensions.count == 3 ? Self.experts(made) : [made]
            case "granitemoe", "gpt-oss":
                if Self.pairs.contains(where: { tensor.name.hasSuffix($0.up) }) { return [] }
                var joined = made
                if let pair = Self.pairs.first(where: { tensor.name.hasSuffix($0.gate) }),
                    let up = byName[String(tensor.name.dropLast(pair.gate.count)) + pair.up]
                {
                    joined = Self.joined(made, up, isAlternate: isAlternate)
                }
                return [isAlternate ? Self.transposed(joined) : joined]
            default: return [made]
            }
        }
    }

    /// The gates and ups that some families store as one tensor.
    private static let pairs = [
        (gate: "ffn_gate_exps.weight", up: "ffn_up_exps.weight"), (gate: "ffn_gate_exps.bias", up: "ffn_up_exps.bias"),
        (gate: "ffn_gate_shexp.weight", up: "ffn_up_shexp.weight"),
    ]

    /// A tensor for each expert.
    private static func experts(_ tensor: SafetensorsWriter.Tensor) -> [SafetensorsWriter.Tensor] {
        let size = tensor.bytes.count / tensor.shape[0]
        return (0..<tensor.shape[0]).map { number in
            .init(
                name: tensor.name.replacing(".EXPERT.", with: ".\(number)."), type: tensor.type,
                shape: Array(tensor.shape.dropFirst()), bytes: Array(tensor.bytes[number * size..<(number + 1) * size]))
        }
    }

    /// Gates and ups of each expert in one tensor: one after the other, or in turns.
    private static func joined(
        _ gate: SafetensorsWriter.Tensor, _ up: GGUFWriter.Tensor, isAlternate: Bool
    ) -> SafetensorsWriter.Tensor {
        let isStack = gate.shape.count == 3 || gate.name.hasSuffix("bias")
        let axis = isStack ? 1 : 0
        let (experts, rows) = (isStack ? gate.shape[0] : 1, gate.shape[axis])
        let rowBytes = gate.bytes.count / (experts * rows)
        var bytes: [UInt8] = []
        for expert in 0..<experts {
            let range = { (row: Int, count: Int) -> Range<Int> in
                (expert * rows + row) * rowBytes..<(expert * rows + row + count) * rowBytes
            }
            if isAlternate {
                for row in 0..<rows { bytes += gate.bytes[range(row, 1)] + up.bytes[range(row, 1)] }
            } else {
                bytes += gate.bytes[range(0, rows)] + up.bytes[range(0, rows)]
            }
        }
        var shape = gate.shape
        shape[axis] *= 2
        return .init(name: gate.name, type: gate.type, shape: shape, bytes: bytes)
    }

    /// The matrices of gpt-oss's experts, whose rows are inputs.
    private static func transposed(_ tensor: SafetensorsWriter.Tensor) -> SafetensorsWriter.Tensor {
        guard tensor.shape.count == 3 else { return tensor }
        let (experts, rows, columns) = (tensor.shape[0], tensor.shape[1], tensor.shape[2])
        let width = tensor.bytes.count / (experts * rows * columns)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(tensor.bytes.count)
        for expert in 0..<experts {
            for column in 0..<columns {
                for row in 0..<rows {
                    let start = ((expert * rows + row) * columns + column) * width
                    bytes += tensor.bytes[start..<start + width]
                }
            }
        }
        return .init(name: tensor.name, type: tensor.type, shape: [experts, columns, rows], bytes: bytes)
    }

    private func folderTensor(_ tensor: GGUFWriter.Tensor) -> SafetensorsWriter.Tensor {
        let fields = tensor.name.split(separator: ".", maxSplits: 2).map(String.init)
        let isOfLayer = fields[0] == "blk"
        let inner = isOfLayer ? fields[2] : tensor.name
        let name =
            isOfLayer
            ? "model.layers.\(fields[1]).\(Self.layerNames(architecture.name)[inner] ?? inner)"
            : Self.outerNames[inner] ?? inner
        let type = TensorEncoding(rawValue: tensor.typeCode) ?? .f32
        var bytes = tensor.bytes
        var shape = Array(tensor.dimensions.reversed())
        if Self.pairedRows.contains(architecture.name), inner.hasPrefix("attn_q.") || inner.hasPrefix("attn_k.") {
            bytes = Self.unpaired(bytes, rows: shape[0], heads: shape[0] / headDim)
        }
        if architecture.name == "gemma3", inner.hasSuffix("norm.weight") {
            bytes = Self.floats(bytes).map { $0 - 1 }.flatMap { TensorEncoding.f32.encode([$0]) }
        }
        if inner == "shortconv.conv.weight" { shape = [shape[0], 1, shape[1]] }
        return .init(
            name: name, type: ["F32", "F16"].first { type.isNamed($0) } ?? "BF16", shape: shape, bytes: bytes)
    }

    /// The rows in the order of `transformers`: of each head first the even ones of the GGUF file, then the odd ones.
    private static func unpaired(_ bytes: [UInt8], rows: Int, heads: Int) -> [UInt8] {
        let rowBytes = bytes.count / rows
        let headRows = rows / heads
        return (0..<heads).flatMap { head in
            [0, 1].flatMap { parity in
                stride(from: head * headRows + parity, to: (head + 1) * headRows, by: 2).flatMap { row in
                    bytes[row * rowBytes..<(row + 1) * rowBytes]
                }
            }
        }
    }

    private static func floats(_ bytes: [UInt8]) -> [Float] {
        bytes.withUnsafeBytes { bytes in
            (0..<bytes.count / 4).map { bytes.loadUnaligned(fromByteOffset: 4 * $0, as: Float.self) }
        }
    }

    private static let rotationBases: [String: Double] = [
        "llama": 1e4, "phi3": 1e4, "granite": 1e4, "smollm3": 5e6, "olmo2": 5e5, "ernie4_5": 5e5, "granitemoe": 1e4,
        "gpt-oss": 1.5e5,
    ]

    /// Families whose GGUF files have the rows of queries and keys in another order.
    private static let pairedRows: Set = ["llama", "smollm3", "granite", "granitemoe", "mistral3"]

    private static let outerNames = [
        "token_embd.weight": "model.embed_tokens.weight", "output_norm.weight": "model.norm.weight",
        "output.weight": "lm_head.weight", "token_embd_norm.weight": "model.embedding_norm.weight",
    ]

    private static func layerNames(_ architecture: String) -> [String: String] {
        let norms: [String: String] =
            switch architecture {
            case "gemma3":
                [
                    "attn_norm": "input_layernorm", "post_attention_norm": "post_attention_layernorm",
                    "ffn_norm": "pre_feedforward_layernorm", "post_ffw_norm": "post_feedforward_layernorm",
                    "attn_q_norm": "self_attn.q_norm", "attn_k_norm": "self_attn.k_norm",
                ]
            case "lfm2", "lfm2moe":
                [
                    "attn_norm": "operator_norm", "ffn_norm": "ffn_norm", "attn_q_norm": "self_attn.q_layernorm",
                    "attn_k_norm": "self_attn.k_layernorm", "attn_output": "self_attn.out_proj",
                    "shortconv.conv": "conv.conv", "shortconv.in_proj": "conv.in_proj",
                    "shortconv.out_proj": "conv.out_proj", "ffn_gate": "feed_forward.w1", "ffn_down": "feed_forward.w2",
                    "ffn_up": "feed_forward.w3", "ffn_gate_inp": "feed_forward.gate",
                    "ffn_gate_exps": "feed_forward.experts.EXPERT.w1",
                    "ffn_down_exps": "feed_forward.experts.EXPERT.w2", "ffn_up_exps": "feed_forward.experts.EXPERT.w3",
                ]
            case "qwen3moe":
                [
                    "attn_norm": "input_layernorm", "ffn_norm": "post_attention_layernorm",
                    "attn_q_norm": "self_attn.q_norm", "attn_k_norm": "self_attn.k_norm", "ffn_gate_inp": "mlp.gate",
                    "ffn_gate_exps": "mlp.experts.EXPERT.gate_proj", "ffn_up_exps": "mlp.experts.EXPERT.up_proj",
                    "ffn_down_exps": "mlp.experts.EXPERT.down_proj",
                ]
            case "granitemoe":
                [
                    "attn_norm": "input_layernorm", "ffn_norm": "post_attention_layernorm",
                    "ffn_gate_inp": "block_sparse_moe.router.layer", "ffn_gate_exps": "block_sparse_moe.input_linear",
                    "ffn_down_exps": "block_sparse_moe.output_linear", "ffn_gate_shexp": "shared_mlp.input_linear",
                    "ffn_down_shexp": "shared_mlp.output_linear",
                ]
            case "gpt-oss":
                [
                    "attn_norm": "input_layernorm", "post_attention_norm": "post_attention_layernorm",
                    "ffn_gate_inp": "mlp.router",
                ]
            case "olmo2", "exaone4":
                [
                    "post_attention_norm": "post_attention_layernorm", "post_ffw_norm": "post_feedforward_layernorm",
                    "attn_q_norm": "self_attn.q_norm", "attn_k_norm": "self_attn.k_norm",
                ]
            case "phi3":
                [
                    "attn_norm": "input_layernorm", "ffn_norm": "post_attention_layernorm",
                    "attn_qkv": "self_attn.qkv_proj", "ffn_up": "mlp.gate_up_proj",
                ]
            default:
                [
                    "attn_norm": "input_layernorm", "ffn_norm": "post_attention_layernorm",
                    "attn_q_norm": "self_attn.q_norm", "attn_k_norm": "self_attn.k_norm",
                ]
            }
        let usual = [
            "attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj", "attn_v": "self_attn.v_proj",
            "attn_output": "self_attn.o_proj", "ffn_gate": "mlp.gate_proj", "ffn_up": "mlp.up_proj",
            "ffn_down": "mlp.down_proj",
        ]
        let stems = usual.merging(norms) { $1 }
        var names = Dictionary(
            uniqueKeysWithValues: stems.flatMap { stem, name in
                ["weight", "bias"].map { ("\(stem).\($0)", "\(name).\($0)") }
            })
        names["exp_probs_b.bias"] = "feed_forward.expert_bias"
        if architecture == "gpt-oss" {
            names["attn_sinks.weight"] = "self_attn.sinks"
            for (stem, name) in [("ffn_gate_exps", "gate_up_proj"), ("ffn_down_exps", "down_proj")] {
                names["\(stem).weight"] = "mlp.experts.\(name)"
                names["\(stem).bias"] = "mlp.experts.\(name)_bias"
            }
        }
        return names
    }
}

extension TensorEncoding {
    fileprivate func isNamed(_ name: String) -> Bool { "\(self)" == name.lowercased() }
}

extension TinyTokenizer {
    /// The vocabulary as a `tokenizer.json`: byte-level byte pairs, with the first three tokens as special ones.
    package var folderDocument: JSONValue {
        var merges: [JSONValue] = []
        for entry in metadata where entry.key == "tokenizer.ggml.merges" {
            if case .array(_, let values) = entry.value {
                merges = values.compactMap { if case .string(let text) = $0 { .string(text) } else { nil } }
            }
        }
        var vocabulary = JSONObject()
        for (id, token) in tokens.enumerated() { vocabulary[token] = .integer(id) }
        let added = tokens.prefix(3).enumerated().map { id, token -> JSONValue in
            [
                "id": .integer(id), "content": .string(token), "single_word": false, "lstrip": false, "rstrip": false,
                "normalized": false, "special": true,
            ]
        }
        return [
            "version": "1.0", "added_tokens": .array(added), "normalizer": .null,
            "pre_tokenizer": ["type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true],
            "post_processor": .null,
            "decoder": ["type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": true],
            "model": ["type": "BPE", "vocab": .object(vocabulary), "merges": .array(merges)],
        ]
    }
}
