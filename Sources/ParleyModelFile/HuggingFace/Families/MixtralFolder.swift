// SPDX-License-Identifier: Apache-2.0

/// Mixtral: a Llama with experts.
struct MixtralFolder: ExpertFamily, LlamaVariant {
    let experts = ExpertNames(prefix: "block_sparse_moe.", gate: "w1", up: "w3", down: "w2")
    let llama = LlamaFolder()

    func entries(_ config: FolderConfiguration) throws(ModelFileError) -> [GGUFEntry] {
        try llama.entries(config) + config.expertCounts("num_local_experts")
    }
}
