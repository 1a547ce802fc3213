// SPDX-License-Identifier: Apache-2.0

/// The tensors of a folder's model, with those joined that store one matrix together.
struct FolderWeights: Sendable {
    /// A tensor by the name that it has where nothing is quantised.
    enum Weight: Sendable {
        case stored(SafetensorsTensor)
        case packed(String, any PackedWeights)

        /// The name, such as `model.layers.0.self_attn.q_proj.weight`.
        var name: String {
            switch self {
            case .stored(let tensor): tensor.name
            case .packed(let name, _): name
            }
        }
    }

    /// All tensors, in the order of the files.
    let weights: [Weight]

    /// Joins the tensors of a model.
    ///
    /// - Throws: ``ModelFileError`` if tensors that belong together do not fit, or one is missing.
    init(_ file: SafetensorsFile, _ quantization: FolderQuantization?) throws(ModelFileError) {
        var weights: [Weight] = []
        for tensor in file.tensors {
            guard let quantization else {
                weights.append(.stored(tensor))
                continue
            }
            if let weight = try Self.weight(of: tensor, quantization, in: file) { weights.append(weight) }
        }
        self.weights = weights
    }

    /// The weight that a tensor is the main part of; nil if it is another part of one.
    private static func weight(
        of tensor: SafetensorsTensor, _ quantization: FolderQuantization, in file: SafetensorsFile
    ) throws(ModelFileError) -> Weight? {
        let dot = tensor.name.utf8.lastIndex(of: UInt8(ascii: "."))
        let module = dot.map { String(tensor.name[..<$0]) } ?? ""
        let last = dot.map { tensor.name[tensor.name.index(after: $0)...] } ?? tensor.name[...]
        func part(_ name: some StringProtocol) throws(ModelFileError) -> SafetensorsTensor {
            try file.tensor("\(module).\(name)")
        }
        func has(_ name: some StringProtocol) -> Bool { file.tensor(ifPresent: "\(module).\(name)") != nil }
        switch quantization {
        case .mlx(let groups, let others):
            if last == "scales" || last == "biases", has("weight") { return nil }
            guard last == "weight", has("scales") else { return .stored(tensor) }
            return .packed(
                tensor.name,
                try MLXWeights(
                    tensor, scales: part("scales"), biases: part("biases"), others[module] ?? groups, in: file))
        case .gptq(let bits, let groupSize, let addsOne):
            if ["qzeros", "scales", "g_idx"].contains(last), has("qweight") { return nil }
            guard last == "qweight" else { return .stored(tensor) }
            let tensors = TransposedWeights.Tensors(
                levels: tensor, zeros: try part("qzeros"), scales: try part("scales"),
                order: file.tensor(ifPresent: "\(module).g_idx"))
            return .packed(
                "\(module).weight",
                try TransposedWeights(tensors, .gptq(bits: bits, addsOne: addsOne), groupSize: groupSize, in: file))
        case .awq(let groupSize):
            if ["qzeros", "scales"].contains(last), has("qweight") { return nil }
            guard last == "qweight" else { return .stored(tensor) }
            let tensors = TransposedWeights.Tensors(
                levels: tensor, zeros: try part("qzeros"), scales: try part("scales"))
            return .packed("\(module).weight", try TransposedWeights(tensors, .awq, groupSize: groupSize, in: file))
        case .fp8(let block):
            let scaleNames = ["weight_scale_inv", "weight_scale"]
            // What belongs to inputs is for kernels that round these too.
            let others = scaleNames + ["input_scale", "activation_scale"]
            if others.contains(String(last)), has("weight") { return nil }
            guard last == "weight", tensor.type == .f8E4M3 else { return .stored(tensor) }
            let scales = try part(scaleNames.first(where: has) ?? "weight_scale_inv")
            return .packed(tensor.name, try FP8Weights(tensor, scales: scales, block: block, in: file))
        case .mxfp4:
            let (blocks, suffix) = ("_blocks", "_scales")
            if last.hasSuffix(suffix), has(last.dropLast(suffix.count) + blocks) { return nil }
            guard last.hasSuffix(blocks) else { return .stored(tensor) }
            let matrix = last.dropLast(blocks.count)
            return .packed(
                "\(module).\(matrix)", try MXFP4Weights(tensor, scales: part(matrix + suffix), in: file))
        }
    }
}
