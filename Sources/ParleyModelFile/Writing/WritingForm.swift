// SPDX-License-Identifier: Apache-2.0

/// How the weights of a file are written: all matrices in one type, or some in a type of more bits, as the mixtures of
/// `llama-quantize` do it.
package struct WritingForm: Sendable, Hashable {
    /// Which matrices get more bits.
    enum Mixture: Sendable, Hashable {
        /// None.
        case none
        /// The output; for S also the first values and outputs of feed-forward networks, for M every third of them.
        case output, small, medium
    }

    /// The name as `llama-quantize` has it, such as `Q4_K_M`.
    package let name: String
    /// The type of most matrices.
    package let type: TensorType
    private let mixture: Mixture

    private init(_ name: String, _ type: TensorType, _ mixture: Mixture) {
        (self.name, self.type, self.mixture) = (name, type, mixture)
    }

    /// All matrices in one type.
    package init(_ type: TensorType) {
        self.init(type.name, type, .none)
    }

    /// The forms that files can be written in.
    package static let all: [WritingForm] =
        [TensorType.f32, .f16, .bf16, .q8_0].map { WritingForm($0) } + [
            WritingForm("Q6_K", .q6_K, .output), WritingForm("Q5_K_M", .q5_K, .medium),
            WritingForm("Q5_K_S", .q5_K, .output), WritingForm("Q4_K_M", .q4_K, .medium),
            WritingForm("Q4_K_S", .q4_K, .small),
        ] + [TensorType.q5_1, .q5_0, .q4_1, .q4_0].map { WritingForm($0) }

    /// The type of a matrix.
    ///
    /// - Parameters:
    ///   - name: its name in the file.
    ///   - columns: the length of its rows.
    ///   - place: what it is among the matrices of its kind: its number, and how many there are.
    ///   - sharesHead: whether the file has no output matrix, so that the embedding is one.
    ///   - experts: the number of experts of a layer; 0 for none. With eight, attention gets more bits.
    /// - Returns: the type, or one with smaller blocks where rows do not divide into those of the type.
    func type(
        of name: String, columns: Int, place: (number: Int, count: Int), sharesHead: Bool, experts: Int
    ) -> TensorType {
        guard mixture != .none else { return columns.isMultiple(of: type.blockSize) ? type : .f16 }
        var type = type
        if name == "output.weight" || sharesHead && name == "token_embd.weight" {
            type = columns.isMultiple(of: 256) ? .q6_K : .q8_0
        } else if experts == 8, let more = moreOfAttention(name) {
            type = more
        } else if let kind = Self.kind(of: name) {
            let (number, count) = place
            let eighth = count / 8
            let isThird = number < eighth || number >= 7 * count / 8 || (number - eighth) % 3 == 2
            switch mixture {
            case .medium where isThird: type = .q6_K
            case .small where number < (kind == .values ? 4 : eighth): type = .q5_K
            default: break
            }
        }
        if columns.isMultiple(of: type.blockSize) { return type }
        let smaller: TensorType = type == .q4_K ? .q5_0 : type == .q5_K ? .q5_1 : .q8_0
        return columns.isMultiple(of: smaller.blockSize) ? smaller : .f16
    }

    /// The types of attention beside eight experts, which take so much more room; nil for other matrices.
    private func moreOfAttention(_ name: String) -> TensorType? {
        if Self.kind(of: name) == .values || name.hasSuffix(".attn_k.weight") { return .q8_0 }
        return self.type == .q4_K && name.hasSuffix(".attn_output.weight") ? .q5_K : nil
    }

    /// The kinds of matrices whose place among their like decides.
    enum Kind: Sendable, Hashable {
        case values, feedForwardOutputs
    }

    /// The kind of a matrix; nil if its place does not matter.
    static func kind(of name: String) -> Kind? {
        if name.hasSuffix(".attn_v.weight") || name.hasSuffix(".attn_qkv.weight") { return .values }
        let isOutput = ["ffn_down", "ffn_down_exps", "ffn_down_shexp"].contains { name.hasSuffix(".\($0).weight") }
        return isOutput ? .feedForwardOutputs : nil
    }
}
