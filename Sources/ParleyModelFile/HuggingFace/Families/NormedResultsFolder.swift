// SPDX-License-Identifier: Apache-2.0

/// Families that normalise the results of attention and of the feed-forward network, not their inputs: OLMo 2 and 3, and
/// EXAONE 4.
struct NormedResultsFolder: FolderFamily {
    let architecture: String

    func entries(_ config: FolderConfiguration) throws(ModelFileError) -> [GGUFEntry] {
        try config.requireActivation(["silu"])
        let entries =
            try config.sizes(context: 2_048, epsilon: 1e-5, hasWindows: true) + FolderRotation(config).entries()
        guard let window = try config.count(ifPresent: "sliding_window") else { return entries }
        return entries + [
            GGUFEntry("attention.sliding_window", .uint32(UInt32(window))),
            GGUFEntry("attention.sliding_window_pattern", .bools(try windows(config))),
        ]
    }

    /// Which layers look through a window.
    private func windows(_ config: FolderConfiguration) throws(ModelFileError) -> [Bool] {
        let layers = try config.count("num_hidden_layers")
        guard let kinds = try config.texts(ifPresent: "layer_types") else {
            let period = max(try config.count("sliding_window_pattern", default: 4), 1)
            return (0..<layers).map { ($0 + 1) % period != 0 }
        }
        guard kinds.count == layers else { throw config.invalid("layer_types", "has \(kinds.count) entries") }
        return kinds.map { $0 == "sliding_attention" }
    }

    func form(of name: FolderTensorName, _ config: FolderConfiguration) throws(ModelFileError) -> FolderTensorForm? {
        var names = FolderTensorName.transformer
        names["input_layernorm.weight"] = nil
        names["post_attention_layernorm.weight"] = "post_attention_norm.weight"
        names["post_feedforward_layernorm.weight"] = "post_ffw_norm.weight"
        return FolderTensorForm(name: try name.name(inLayers: names, config))
    }

    func madeTensors(_ config: FolderConfiguration) throws(ModelFileError) -> [MadeTensor] {
        guard let factors = try FolderRotation(config).llama3Factors(headWidth: config.headWidth) else { return [] }
        return [MadeTensor("rope_freqs.weight", factors)]
    }
}
