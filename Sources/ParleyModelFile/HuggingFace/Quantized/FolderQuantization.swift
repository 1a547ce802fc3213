// SPDX-License-Identifier: Apache-2.0

import ParleyJSON

/// How the matrices of a folder are stored in fewer bits, as its `config.json` says.
enum FolderQuantization: Sendable, Hashable {
    /// Levels of a group of columns with a scale and a minimum, in the form of MLX.
    case mlx(MLXGroups, of: [String: MLXGroups])
    /// GPTQ's levels, packed along the columns; `groupSize` is nil where a row is one group.
    case gptq(bits: Int, groupSize: Int?, addsOne: Bool)
    /// AWQ's levels, packed along the rows.
    case awq(groupSize: Int?)
    /// Floats of 8 bits with scales for blocks of the matrix; nil for one scale for a row or the whole.
    case fp8(block: FP8Block?)
    /// Floats of 4 bits of experts, of which 32 neighbours share a power of two.
    case mxfp4

    /// The levels of a matrix in the form of MLX.
    struct MLXGroups: Sendable, Hashable {
        /// The number of bits of a level.
        var bits: Int
        /// The number of columns that share a scale and a minimum.
        var groupSize: Int
    }

    /// The part of a matrix that shares a scale.
    struct FP8Block: Sendable, Hashable {
        var rows: Int
        var columns: Int
    }

    /// Reads what `config.json` says; nil if the weights are not quantised.
    ///
    /// - Throws: ``ModelFileError`` with code `unsupportedModel` for a form that is not read.
    static func read(from config: FolderConfiguration) throws(ModelFileError) -> FolderQuantization? {
        let key = config["quantization_config"] == nil ? "quantization" : "quantization_config"
        guard config[key] != nil else { return nil }
        guard let settings = config.part(key) else { throw config.invalid(key, "is no object") }
        guard let method = try settings.text(ifPresent: "quant_method") else { return try mlx(settings, config) }
        switch method {
        case "mlx": return try mlx(settings, config)
        case "gptq": return try gptq(settings)
        case "awq": return try awq(settings)
        case "fp8": return .fp8(block: try block(settings, "weight_block_size"))
        case "mxfp4": return .mxfp4
        case "compressed-tensors": return try compressed(settings)
        default:
            throw config.unsupported(
                "the weights are quantised as \(String(reflecting: String(method.prefix(40)))) (“\(key)”)")
        }
    }

    // MARK: Forms

    private static func mlx(
        _ settings: FolderConfiguration, _ config: FolderConfiguration
    ) throws(ModelFileError) -> FolderQuantization {
        guard settings["bits"] != nil, settings["group_size"] != nil else {
            throw config.unsupported("the weights are quantised in a form without name")
        }
        let whole = try groups(settings)
        var others: [String: MLXGroups] = [:]
        for name in settings.partNames {
            guard let part = settings.part(name) else { continue }
            others[name] = try groups(part)
        }
        return .mlx(whole, of: others)
    }

    private static func groups(_ settings: FolderConfiguration) throws(ModelFileError) -> MLXGroups {
        let mode = try settings.text(ifPresent: "mode") ?? "affine"
        let groups = MLXGroups(bits: try settings.count("bits"), groupSize: try settings.count("group_size"))
        guard mode == "affine", [2, 3, 4, 5, 6, 8].contains(groups.bits), [32, 64, 128].contains(groups.groupSize)
        else {
            throw settings.unsupported(
                "the weights have \(groups.bits) bits in groups of \(groups.groupSize) as "
                    + String(reflecting: String(mode.prefix(40))))
        }
        return groups
    }

    private static func gptq(_ settings: FolderConfiguration) throws(ModelFileError) -> FolderQuantization {
        let bits = try settings.count("bits")
        guard bits == 4 || bits == 8 else { throw settings.unsupported("GPTQ's weights have \(bits) bits") }
        guard settings.part("dynamic")?.partNames.isEmpty ?? true else {
            throw settings.unsupported("some of GPTQ's layers have settings of their own (“dynamic”)")
        }
        let form = try settings.text(ifPresent: "checkpoint_format") ?? "gptq"
        guard form == "gptq" || form == "gptq_v2" else {
            throw settings.unsupported("GPTQ's weights are in the form \(String(reflecting: String(form.prefix(40))))")
        }
        return .gptq(bits: bits, groupSize: try groupSize(settings), addsOne: form == "gptq")
    }

    private static func awq(_ settings: FolderConfiguration) throws(ModelFileError) -> FolderQuantization {
        let bits = try settings.count("bits", default: 4)
        let form = (try settings.text(ifPresent: "version") ?? "gemm").lowercased()
        guard bits == 4, form == "gemm" else {
            throw settings.unsupported(
                "AWQ's weights have \(bits) bits in the form \(String(reflecting: String(form.prefix(40))))")
        }
        return .awq(groupSize: try groupSize(settings))
    }

    private static func compressed(_ settings: FolderConfiguration) throws(ModelFileError) -> FolderQuantization {
        let form = try settings.text(ifPresent: "format") ?? ""
        guard form == "float-quantized" else {
            throw settings.unsupported(
                "the weights are compressed in the form \(String(reflecting: String(form.prefix(40))))")
        }
        for name in settings.part("config_groups")?.partNames ?? [] {
            if let weights = settings.part("config_groups")?.part(name)?.part("weights") {
                return .fp8(block: try block(weights, "block_structure"))
            }
        }
        return .fp8(block: nil)
    }

    // MARK: Values

    /// The number of columns of a group; nil where the file says -1, for all of them.
    private static func groupSize(_ settings: FolderConfiguration) throws(ModelFileError) -> Int? {
        if settings["group_size"]?.integer == -1 { return nil }
        let size = try settings.count("group_size", default: 128)
        guard size > 0 else { throw settings.invalid("group_size", "is 0") }
        return size
    }

    private static func block(_ settings: FolderConfiguration, _ key: String) throws(ModelFileError) -> FP8Block? {
        guard let sizes = try settings.counts(ifPresent: key) else { return nil }
        guard sizes.count == 2, sizes.allSatisfy({ (1...65_536).contains($0) }) else {
            throw settings.invalid(key, "is no pair of sizes")
        }
        return FP8Block(rows: sizes[0], columns: sizes[1])
    }
}
