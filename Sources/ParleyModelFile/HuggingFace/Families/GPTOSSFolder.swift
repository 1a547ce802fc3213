// SPDX-License-Identifier: Apache-2.0

/// gpt-oss: experts with biases, whose gates and ups are alternate rows of one tensor, windows in every other layer, and
/// sinks of attention.
struct GPTOSSFolder: FolderFamily {
    let architecture = "gpt-oss"

    func entries(_ config: FolderConfiguration) throws(ModelFileError) -> [GGUFEntry] {
        try config.requireActivation(["silu"])
        guard try config.number("swiglu_limit", default: 7) == 7 else {
            throw config.unsupported("“swiglu_limit” is not 7")
        }
        let kinds = try config.texts(ifPresent: "layer_types") ?? []
        let isUsual = kinds.enumerated().allSatisfy { index, kind in
            (kind == "sliding_attention") == index.isMultiple(of: 2)
        }
        guard isUsual else { throw config.unsupported("other layers than every second have a window") }
        return try config.sizes(context: 131_072, kvHeads: 8, epsilon: 1e-5, hasWindows: true)
            // llama.cpp cuts the bounds of YaRN to whole numbers, whatever this key says.
            + FolderRotation(config, base: 150_000).entries(understanding: ["truncate"])
            + config.expertCounts("num_local_experts") + [
                GGUFEntry("expert_feed_forward_length", try config.uint("intermediate_size")),
                GGUFEntry(
                    "attention.sliding_window", .uint32(UInt32(try config.count("sliding_window", default: 128)))),
            ]
    }

    func form(of name: FolderTensorName, _ config: FolderConfiguration) throws(ModelFileError) -> FolderTensorForm? {
        var names = FolderTensorName.transformer
        names["post_attention_layernorm.weight"] = "post_attention_norm.weight"
        names["self_attn.sinks"] = "attn_sinks.weight"
        names["mlp.router.weight"] = "ffn_gate_inp.weight"
        names["mlp.router.bias"] = "ffn_gate_inp.bias"
        var form = FolderTensorForm(name: try name.name(inLayers: names, config))
        form.isFloat = name.rest == "mlp.router.weight"
        return form
    }

    func forms(
        of name: FolderTensorName, _ config: FolderConfiguration
    ) throws(ModelFileError) -> [FolderTensorForm] {
        guard let layer = name.layer, name.rest.hasPrefix("mlp.experts.") else {
            return try form(of: name, config).map { [$0] } ?? []
        }
        func stack(_ matrix: String, _ share: FolderTensorForm.RowShare) -> FolderTensorForm {
            var form = FolderTensorForm(name: "blk.\(layer).\(matrix)")
            (form.isStack, form.share) = (true, share)
            return form
        }
        // Where they are floats, the matrices of experts are inputs × outputs, other than all others and than in blocks.
        func matrix(_ form: FolderTensorForm) throws(ModelFileError) -> FolderTensorForm {
            var form = form
            form.isTransposed = try FolderQuantization.read(from: config) != .mxfp4
            return form
        }
        func bias(_ form: FolderTensorForm) -> FolderTensorForm {
            var form = form
            form.isFloat = true
            return form
        }
        switch name.rest {
        case "mlp.experts.gate_up_proj":
            return [try matrix(stack(ExpertNames.gates, .even)), try matrix(stack(ExpertNames.ups, .odd))]
        case "mlp.experts.down_proj": return [try matrix(stack(ExpertNames.downs, .all))]
        case "mlp.experts.gate_up_proj_bias":
            return [bias(stack("ffn_gate_exps.bias", .even)), bias(stack("ffn_up_exps.bias", .odd))]
        case "mlp.experts.down_proj_bias": return [bias(stack("ffn_down_exps.bias", .all))]
        default: throw config.unsupported("the weights have a tensor \(name.full)")
        }
    }
}
