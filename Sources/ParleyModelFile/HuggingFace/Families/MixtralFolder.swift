// SPDX-License-Identifier: Apache-2.0

/// Mixtral: a Llama with experts.
struct MixtralFolder: ExpertFamily {
    let experts = ExpertNames(prefix: "block_sparse_moe.", gate: "w1", up: "w3", down: "w2")
    private let llama = LlamaFolder()
    var architecture: String { llama.architecture }

    func entries(_ config: FolderConfiguration) throws(ModelFileError) -> [GGUFEntry] {
        try llama.entries(config) + config.expertCounts("num_local_experts")
    }

    func form(of name: FolderTensorName, _ config: FolderConfiguration) throws(ModelFileError) -> FolderTensorForm? {
        try llama.form(of: name, config)
    }

    func madeTensors(_ config: FolderConfiguration) throws(ModelFileError) -> [MadeTensor] {
        try llama.madeTensors(config)
    }
}
