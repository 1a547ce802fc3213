// SPDX-License-Identifier: Apache-2.0

/// Granite 3 with experts, and the Granite 4 whose layers all attend, with or without experts.
struct GraniteExpertsFolder: ExpertFamily {
    let experts = ExpertNames(prefix: "block_sparse_moe.", router: "router.layer.weight")
    private let granite = GraniteFolder()
    private let hasExperts: Bool

    init(hasExperts: Bool = true) {
        self.hasExperts = hasExperts
    }

    var architecture: String { hasExperts ? "granitemoe" : "granite" }

    func entries(_ config: FolderConfiguration) throws(ModelFileError) -> [GGUFEntry] {
        var entries = try granite.entries(config)
        if try config.text(ifPresent: "model_type") == "granitemoehybrid" {
            let kinds = try config.texts(ifPresent: "layer_types") ?? []
            guard !kinds.isEmpty, kinds.allSatisfy(["attention", "full_attention"].contains) else {
                throw config.unsupported("some layers are those of Mamba")
            }
            // Only with this word are positions rotated.
            let rotates = try config.text(ifPresent: "position_embedding_type") == "rope"
            entries.append(GGUFEntry("rope.scaling.finetuned", .bool(rotates)))
        }
        let shared = try config.count("shared_intermediate_size", default: 0)
        guard hasExperts else {
            // The layer that experts would share is the whole feed-forward network.
            entries.removeAll { $0.key == "feed_forward_length" }
            return entries + [GGUFEntry("feed_forward_length", .uint32(UInt32(shared)))]
        }
        if shared > 0 { entries.append(GGUFEntry("expert_shared_feed_forward_length", .uint32(UInt32(shared)))) }
        return try entries + config.expertCounts("num_local_experts")
    }

    func form(of name: FolderTensorName, _ config: FolderConfiguration) throws(ModelFileError) -> FolderTensorForm? {
        try granite.form(of: name, config)
    }

    func forms(
        of name: FolderTensorName, _ config: FolderConfiguration
    ) throws(ModelFileError) -> [FolderTensorForm] {
        guard let layer = name.layer else { return try usualForms(of: name, config) }
        func form(_ matrix: String, _ share: FolderTensorForm.RowShare, isStack: Bool) -> FolderTensorForm {
            var form = FolderTensorForm(name: "blk.\(layer).\(matrix)")
            (form.share, form.isStack) = (share, isStack)
            return form
        }
        let suffix = hasExperts ? "_shexp.weight" : ".weight"
        switch name.rest {
        case "block_sparse_moe.input_linear.weight":
            return [
                form(ExpertNames.gates, .firstHalf, isStack: true), form(ExpertNames.ups, .secondHalf, isStack: true),
            ]
        case "block_sparse_moe.output_linear.weight": return [form(ExpertNames.downs, .all, isStack: true)]
        case "shared_mlp.input_linear.weight":
            return [
                form("ffn_gate" + suffix, .firstHalf, isStack: false),
                form("ffn_up" + suffix, .secondHalf, isStack: false),
            ]
        case "shared_mlp.output_linear.weight": return [form("ffn_down" + suffix, .all, isStack: false)]
        default: return try usualForms(of: name, config)
        }
    }

    private func usualForms(
        of name: FolderTensorName, _ config: FolderConfiguration
    ) throws(ModelFileError) -> [FolderTensorForm] {
        if let forms = experts.forms(of: name) { return forms }
        return try form(of: name, config).map { [$0] } ?? []
    }

    func madeTensors(_ config: FolderConfiguration) throws(ModelFileError) -> [MadeTensor] {
        try granite.madeTensors(config)
    }
}
