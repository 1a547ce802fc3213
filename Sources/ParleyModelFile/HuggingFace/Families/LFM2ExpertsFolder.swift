// SPDX-License-Identifier: Apache-2.0

/// LFM2 with experts in all but the first layers.
struct LFM2ExpertsFolder: ExpertFamily {
    let experts = ExpertNames(prefix: "feed_forward.", gate: "w1", up: "w3", down: "w2")
    private let lfm2 = LFM2Folder(architecture: "lfm2moe")
    var architecture: String { lfm2.architecture }

    func entries(_ config: FolderConfiguration) throws(ModelFileError) -> [GGUFEntry] {
        try config.requireScaledProbabilities(default: true)
        guard try config.number("routed_scaling_factor", default: 1) == 1 else {
            throw config.unsupported("“routed_scaling_factor” is not 1")
        }
        return try lfm2.entries(config, feedForward: config.count("intermediate_size"))
            + config.expertCounts("num_experts") + [
                GGUFEntry("expert_feed_forward_length", try config.uint("moe_intermediate_size")),
                GGUFEntry("leading_dense_block_count", try config.uint("num_dense_layers")),
                // The sigmoid.
                GGUFEntry("expert_gating_func", .uint32(2)),
            ]
    }

    func form(of name: FolderTensorName, _ config: FolderConfiguration) throws(ModelFileError) -> FolderTensorForm? {
        if let layer = name.layer, name.rest == "feed_forward.expert_bias" {
            return FolderTensorForm(name: "blk.\(layer).exp_probs_b.bias")
        }
        return try lfm2.form(of: name, config)
    }
}
