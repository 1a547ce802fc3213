// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Phi 3 and 4: queries, keys and values in one tensor, and gate and up in another.
struct PhiFolder: FolderFamily {
    let architecture = "phi3"

    func entries(_ config: FolderConfiguration) throws(ModelFileError) -> [GGUFEntry] {
        try config.requireActivation(["silu"])
        let rotation = try FolderRotation(config)
        var entries = try config.sizes(context: 4_096, epsilon: 1e-5)
        entries.append(GGUFEntry("rope.dimension_count", .uint32(UInt32(try rotaryWidth(config)))))
        guard rotation.kind == "longrope" || rotation.kind == "su" else { return try entries + rotation.entries() }
        entries.append(GGUFEntry("rope.freq_base", .float32(Float(rotation.base))))
        let context = try config.count("max_position_embeddings", default: 4_096)
        let trained = try trainedContext(config)
        let ratio = Double(context) / Double(trained)
        let factor = ratio <= 1 ? 1 : (1 + log(ratio) / log(Double(trained))).squareRoot()
        entries.append(GGUFEntry("rope.scaling.original_context_length", .uint32(UInt32(trained))))
        entries.append(GGUFEntry("rope.scaling.attn_factor", .float32(Float(factor))))
        return entries
    }

    private func rotaryWidth(_ config: FolderConfiguration) throws(ModelFileError) -> Int {
        let parameters = config.part("rope_parameters")
        let share = try config.number("partial_rotary_factor", or: parameters, default: 1)
        guard share > 0, share <= 1 else { throw config.invalid("partial_rotary_factor", "is out of range") }
        return Int(share * Double(try config.headWidth))
    }

    private func trainedContext(_ config: FolderConfiguration) throws(ModelFileError) -> Int {
        let scaling = try FolderRotation(config).scaling
        let trained = try config.count("original_max_position_embeddings", or: scaling, default: 4_096)
        guard trained > 1 else { throw config.invalid("original_max_position_embeddings", "is out of range") }
        return trained
    }

    func form(of name: FolderTensorName, _ config: FolderConfiguration) throws(ModelFileError) -> FolderTensorForm? {
        var names = FolderTensorName.transformer
        names["self_attn.qkv_proj.weight"] = "attn_qkv.weight"
        names["mlp.gate_up_proj.weight"] = "ffn_up.weight"
        return FolderTensorForm(name: try name.name(inLayers: names, config))
    }

    func madeTensors(_ config: FolderConfiguration) throws(ModelFileError) -> [MadeTensor] {
        let rotation = try FolderRotation(config)
        guard rotation.kind == "longrope" || rotation.kind == "su", let scaling = rotation.scaling else { return [] }
        let pairs = try rotaryWidth(config) / 2
        return [
            MadeTensor("rope_factors_long.weight", try scaling.numbers("long_factor", count: pairs)),
            MadeTensor("rope_factors_short.weight", try scaling.numbers("short_factor", count: pairs)),
        ]
    }
}
