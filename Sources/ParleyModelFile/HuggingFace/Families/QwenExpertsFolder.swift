// SPDX-License-Identifier: Apache-2.0

/// Qwen 3 with experts.
struct QwenExpertsFolder: ExpertFamily {
    let experts = ExpertNames(prefix: "mlp.")
    private let qwen = QwenFolder(architecture: "qwen3moe")
    var architecture: String { qwen.architecture }

    func entries(_ config: FolderConfiguration) throws(ModelFileError) -> [GGUFEntry] {
        try config.requireScaledProbabilities(default: false)
        guard try config.count("decoder_sparse_step", default: 1) == 1,
            try config.counts(ifPresent: "mlp_only_layers")?.isEmpty ?? true
        else { throw config.unsupported("some layers have no experts") }
        // transformers has written the second name since its fifth version.
        let count = config["num_experts"] == nil ? "num_local_experts" : "num_experts"
        return try qwen.entries(config) + config.expertCounts(count) + [
            GGUFEntry("expert_feed_forward_length", try config.uint("moe_intermediate_size"))
        ]
    }

    func form(of name: FolderTensorName, _ config: FolderConfiguration) throws(ModelFileError) -> FolderTensorForm? {
        try qwen.form(of: name, config)
    }
}
