// SPDX-License-Identifier: Apache-2.0

/// A family with experts.
protocol ExpertFamily: FolderFamily {
    /// What it calls their matrices.
    var experts: ExpertNames { get }
}

extension ExpertFamily {
    func forms(
        of name: FolderTensorName, _ config: FolderConfiguration
    ) throws(ModelFileError) -> [FolderTensorForm] {
        if let forms = experts.forms(of: name) { return forms }
        return try form(of: name, config).map { [$0] } ?? []
    }
}

/// What a family calls the matrices of its experts.
///
/// Folders have them in one of three ways: each matrix in a tensor of its own (`experts.3.up_proj.weight`), those of all
/// experts stacked, with gate and up as the halves of one (`experts.gate_up_proj`), or stacked by MLX
/// (`switch_mlp.up_proj.weight`).
struct ExpertNames: Sendable {
    /// What comes before `experts` in a layer, such as `mlp.`.
    let prefix: String
    /// The name of the matrix that gives each expert a score, after the prefix.
    var router = "gate.weight"
    /// The names of the matrices of an expert with a tensor of its own.
    var gate = "gate_proj"
    var up = "up_proj"
    var down = "down_proj"

    /// The names in GGUF files of the matrices of all experts.
    static let (gates, ups, downs) = ("ffn_gate_exps.weight", "ffn_up_exps.weight", "ffn_down_exps.weight")

    /// What a tensor of experts becomes; nil for other tensors.
    func forms(of name: FolderTensorName) -> [FolderTensorForm]? {
        guard let layer = name.layer, name.rest.hasPrefix(prefix) else { return nil }
        func stack(_ matrix: String, _ share: FolderTensorForm.RowShare = .all) -> FolderTensorForm {
            var form = FolderTensorForm(name: "blk.\(layer).\(matrix)")
            (form.isStack, form.share) = (true, share)
            return form
        }
        switch name.rest.dropFirst(prefix.count) {
        case router:
            var form = FolderTensorForm(name: "blk.\(layer).ffn_gate_inp.weight")
            form.isFloat = true
            return [form]
        case "experts.gate_up_proj", "experts.gate_up_proj.weight":
            return [stack(Self.gates, .firstHalf), stack(Self.ups, .secondHalf)]
        case "experts.down_proj", "experts.down_proj.weight", "switch_mlp.down_proj.weight": return [stack(Self.downs)]
        case "switch_mlp.gate_proj.weight": return [stack(Self.gates)]
        case "switch_mlp.up_proj.weight": return [stack(Self.ups)]
        case let rest:
            let fields = rest.split(separator: ".", omittingEmptySubsequences: false)
            let matrices = [gate: Self.gates, up: Self.ups, down: Self.downs]
            guard fields.count == 4, fields[0] == "experts", fields[3] == "weight", let number = Int(fields[1]),
                number >= 0, let matrix = matrices[String(fields[2])]
            else { return nil }
            var form = FolderTensorForm(name: "blk.\(layer).\(matrix)")
            form.expert = number
            return [form]
        }
    }
}

extension FolderConfiguration {
    /// The numbers of experts in a layer, and of those that compute a token.
    ///
    /// - Parameter key: what the family calls the first.
    /// - Returns: the metadata.
    /// - Throws: ``ModelFileError``.
    func expertCounts(_ key: String) throws(ModelFileError) -> [GGUFEntry] {
        [GGUFEntry("expert_count", try uint(key)), GGUFEntry("expert_used_count", try uint("num_experts_per_tok"))]
    }

    /// Throws an error unless the probabilities of the chosen experts are scaled so that they are 1 together.
    func requireScaledProbabilities(default value: Bool) throws(ModelFileError) {
        guard try flag("norm_topk_prob", default: value) else { throw unsupported("“norm_topk_prob” is false") }
    }
}
