// SPDX-License-Identifier: Apache-2.0

/// Ministral 3, whose scores grow with the position, and the text of Mistral Small 3: alone, or as the part for text of a
/// model that also sees images.
struct MinistralFolder: LlamaVariant {
    let llama = LlamaFolder(architecture: "mistral3")

    func textConfiguration(_ config: FolderConfiguration) throws(ModelFileError) -> FolderConfiguration {
        config.part("text_config") ?? config
    }

    func entries(_ config: FolderConfiguration) throws(ModelFileError) -> [GGUFEntry] {
        let type = try config.text(ifPresent: "model_type") ?? "mistral"
        guard type == "ministral3" else {
            guard type == "mistral" else {
                throw config.unsupported("“model_type” is \(String(reflecting: String(type.prefix(40))))")
            }
            return try llama.entries(config)
        }
        let rotation = try FolderRotation(config)
        guard rotation.kind == "yarn", let scaling = rotation.scaling else {
            throw config.unsupported("the rope scaling is \(String(reflecting: String(rotation.kind.prefix(40))))")
        }
        guard try scaling.number("mscale", default: 1) == 1 else { throw config.unsupported("“mscale” is not 1") }
        let divisor = try scaling.number("mscale_all_dim", default: 0)
        let growth = try scaling.number("llama_4_scaling_beta", default: 0)
        return try config.sizes() + rotation.entries(understanding: ["mscale", "mscale_all_dim"]) + [
            GGUFEntry("rope.dimension_count", .uint32(UInt32(try config.headWidth))),
            GGUFEntry("rope.scaling.yarn_log_multiplier", .float32(Float(divisor))),
            GGUFEntry("attention.temperature_scale", .float32(Float(growth))),
        ]
    }

    func form(of name: FolderTensorName, _ config: FolderConfiguration) throws(ModelFileError) -> FolderTensorForm? {
        // The parts for images.
        if name.full.contains("vision_tower.") || name.full.contains("multi_modal_projector.") { return nil }
        return try llama.form(of: name, config)
    }
}
