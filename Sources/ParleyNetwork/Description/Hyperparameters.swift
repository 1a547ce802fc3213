// SPDX-License-Identifier: Apache-2.0

package import ParleyModelFile
package import ParleyTensor

/// The sizes of a network, read from a file's metadata and checked so that no product of them can overflow.
package struct Hyperparameters: Sendable {
    package let architecture: String
    package let metadata: Metadata
    package let layers: Int
    /// The number of values in the hidden state of a token.
    package let width: Int
    package let heads: Int
    /// The number of key and value heads of each layer; 0 for layers without attention.
    package let kvHeads: [Int]
    package let headWidth: Int
    /// The width of each layer's feed-forward part.
    package let feedForwardWidth: [Int]
    package let rotaryWidth: Int
    package let epsilon: Float
    package let trainedContext: Int
    package let vocabularySize: Int
    /// The sizes of layers with experts; nil if the network has none.
    package let experts: ExpertSizes?
    /// The kernel length of short convolutions; used only by architectures that have them.
    package let convolutionTaps: Int

    package init(_ file: GGUFFile) throws {
        let architecture = try file.architecture
        let metadata = file.metadata
        func key(_ name: String) -> String { "\(architecture).\(name)" }
        func bounded(_ name: String, _ value: Int, _ range: ClosedRange<Int>) throws -> Int {
            guard range.contains(value) else {
                throw NetworkError(
                    .invalidFile,
                    "\(file.name): \(key(name)) is \(value), outside \(range.lowerBound) to \(range.upperBound). "
                        + "The file is damaged; download it again.")
            }
            return value
        }
        func perLayer(_ name: String, _ count: Int, _ range: ClosedRange<Int>) throws -> [Int] {
            try metadata.integers(key(name), count: count).map { try bounded(name, $0, range) }
        }
        self.architecture = architecture
        self.metadata = metadata
        layers = try bounded("block_count", metadata.unsigned(key("block_count")), 1...1_024)
        width = try bounded("embedding_length", metadata.unsigned(key("embedding_length")), 8...65_536)
        heads = try bounded("attention.head_count", metadata.unsigned(key("attention.head_count")), 1...1_024)
        kvHeads =
            metadata[key("attention.head_count_kv")] == nil
            ? Array(repeating: heads, count: layers) : try perLayer("attention.head_count_kv", layers, 0...heads)
        headWidth = try bounded(
            "attention.key_length", metadata.unsigned(ifPresent: key("attention.key_length")) ?? width / heads,
            8...1_024)
        let valueWidth = try metadata.unsigned(ifPresent: key("attention.value_length")) ?? headWidth
        feedForwardWidth = try perLayer("feed_forward_length", layers, 8...1_048_576)
        rotaryWidth = try bounded(
            "rope.dimension_count", metadata.unsigned(ifPresent: key("rope.dimension_count")) ?? headWidth,
            2...headWidth)
        // Models that normalise by mean and variance have the other name.
        let epsilonName =
            metadata[key("attention.layer_norm_rms_epsilon")] == nil
                && metadata[key("attention.layer_norm_epsilon")] != nil
            ? "attention.layer_norm_epsilon" : "attention.layer_norm_rms_epsilon"
        epsilon = try metadata.float(key(epsilonName))
        trainedContext = try bounded("context_length", metadata.unsigned(key("context_length")), 1...(1 << 24))
        vocabularySize = try bounded("vocab_size", file.tensor("token_embd.weight").rows, 1...(1 << 24))
        // The tokenizer often has fewer tokens: rows are added to the matrix so that their number divides evenly.
        let tokens = metadata["tokenizer.ggml.tokens"]?.count ?? 0
        guard tokens <= vocabularySize else {
            throw NetworkError(
                .invalidFile,
                "\(file.name): the tokenizer has \(tokens) tokens, but the network knows \(vocabularySize). The file is "
                    + "damaged; download it again.")
        }
        let expertCount = try bounded("expert_count", metadata.unsigned(ifPresent: key("expert_count")) ?? 0, 0...4_096)
        if expertCount > 0 {
            let used = try bounded("expert_used_count", metadata.unsigned(key("expert_used_count")), 1...expertCount)
            let whole = feedForwardWidth.max() ?? 8
            experts = ExpertSizes(
                count: expertCount, used: try bounded("expert_used_count", used, 1...64),
                width: try bounded(
                    "expert_feed_forward_length",
                    metadata.unsigned(ifPresent: key("expert_feed_forward_length")) ?? whole, 8...1_048_576),
                sharedWidth: try bounded(
                    "expert_shared_feed_forward_length",
                    metadata.unsigned(ifPresent: key("expert_shared_feed_forward_length")) ?? 0, 0...1_048_576),
                denseLayers: try bounded(
                    "leading_dense_block_count",
                    metadata.unsigned(ifPresent: key("leading_dense_block_count")) ?? 0, 0...layers))
        } else {
            experts = nil
        }
        convolutionTaps = try bounded(
            "shortconv.l_cache", metadata.unsigned(ifPresent: key("shortconv.l_cache")) ?? 3, 2...64)
        for count in kvHeads where count > 0 { _ = try bounded("attention.head_count_kv", heads % count, 0...0) }
        _ = try bounded("attention.key_length", headWidth % 8, 0...0)
        _ = try bounded("attention.value_length", valueWidth, headWidth...headWidth)
        _ = try bounded("rope.dimension_count", rotaryWidth % 2, 0...0)
        guard (0...1).contains(epsilon) else {
            throw NetworkError(
                .invalidFile,
                "\(file.name): \(key(epsilonName)) is \(epsilon), not a small number. "
                    + "The file is damaged; download it again.")
        }
    }

    /// The metadata key of an entry that belongs to the architecture, such as `llama.block_count`.
    package func key(_ name: String) -> String { "\(architecture).\(name)" }

    /// How attention scores grow with the position; nil if they do not.
    var scoreGrowth: ScoreGrowth? {
        get throws {
            let name = key("attention.temperature_scale")
            guard let rate = try metadata.float(ifPresent: name), rate != 0 else { return nil }
            let original = key("rope.scaling.original_context_length")
            let interval = try metadata.unsigned(ifPresent: original) ?? trainedContext
            guard rate.isFinite, (1...(1 << 24)).contains(interval) else {
                throw NetworkError(
                    .invalidFile,
                    "\(name) is \(rate) and \(original) \(interval), which make no growth of attention scores. The "
                        + "file is damaged; download it again.")
            }
            return ScoreGrowth(rate: rate, interval: interval)
        }
    }

    /// The state that each layer keeps for a sequence, with keys and values in a format.
    package func memories(_ format: CacheFormat) -> [LayerMemory] {
        kvHeads.map { kvHeads in
            kvHeads > 0
                ? .attention(kvHeads: kvHeads, headWidth: headWidth, format: format)
                : .convolution(channels: width, taps: convolutionTaps)
        }
    }

    /// The total width of all query heads.
    package var queryWidth: Int { heads * headWidth }
}
