// SPDX-License-Identifier: Apache-2.0

/// SmolLM3: a Llama that rotates nothing in every fourth layer.
struct SmolLM3Folder: LlamaVariant {
    let llama = LlamaFolder(architecture: "smollm3")

    func entries(_ config: FolderConfiguration) throws(ModelFileError) -> [GGUFEntry] {
        let rotates = try config.counts(ifPresent: "no_rope_layers") ?? []
        // The list says 1 for layers that rotate.
        let isUsual = rotates.enumerated().allSatisfy { ($0.offset + 1) % 4 == 0 ? $0.element == 0 : $0.element != 0 }
        guard isUsual, try config.count("no_rope_layer_interval", default: 4) == 4 else {
            throw config.unsupported("other layers than every fourth are not rotated")
        }
        guard try !config.flag("use_sliding_window", default: false) else {
            throw config.unsupported("“use_sliding_window” is set")
        }
        return try llama.entries(config)
    }
}
