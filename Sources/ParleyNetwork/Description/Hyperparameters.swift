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
    /// What differs between layers that attend.
    package let attention: AttentionLayers
    /// The width of each layer's feed-forward part.
    package let feedForwardWidth: [Int]
    package let rotaryWidth: Int
    package let epsilon: Float
    package let trainedContext: Int
    package let vocabularySize: Int
    /// The sizes of layers with experts; nil if the network has none.
    package let experts: ExpertSizes?
    /// The sizes of recurrent layers; nil if the network has none, or only short convolutions.
    package let recurrence: RecurrenceSizes?
    /// The kernel length of short convolutions; used only by architectures that have them.
    package let convolutionTaps: Int
    /// The width of the embeddings that each layer has of its own; 0 if there are none.
    package let layerEmbeddingWidth: Int
    /// The hidden states of each row.
    package let streams: AltUpStreams

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
        self.architecture = architecture
        self.metadata = metadata
        let blocks = try bounded("block_count", metadata.unsigned(key("block_count")), 1...1_024)
        // The last blocks may only predict further tokens, and are not run.
        let predicting = try bounded(
            "nextn_predict_layers", metadata.unsigned(ifPresent: key("nextn_predict_layers")) ?? 0, 0...blocks - 1)
        let layers = blocks - predicting
        self.layers = layers
        func perLayer(_ name: String, _ range: ClosedRange<Int>) throws -> [Int] {
            try metadata.integers(key(name), count: blocks).prefix(layers).map { try bounded(name, $0, range) }
        }
        width = try bounded("embedding_length", metadata.unsigned(key("embedding_length")), 8...65_536)
        heads = try bounded("attention.head_count", metadata.unsigned(key("attention.head_count")), 1...1_024)
        var kvHeads =
            metadata[key("attention.head_count_kv")] == nil
            ? Array(repeating: heads, count: layers) : try perLayer("attention.head_count_kv", 0...heads)
        if let withoutAttention = try metadata.recurrentLayers(architecture, blocks: blocks) {
            for layer in 0..<layers where withoutAttention[layer] { kvHeads[layer] = 0 }
        }
        self.kvHeads = kvHeads
        headWidth = try bounded(
            "attention.key_length", metadata.unsigned(ifPresent: key("attention.key_length")) ?? width / heads,
            8...1_024)
        let valueWidth = try metadata.unsigned(ifPresent: key("attention.value_length")) ?? headWidth
        feedForwardWidth =
            metadata[key("feed_forward_length")] == nil && metadata[key("expert_feed_forward_length")] != nil
            ? Array(repeating: 8, count: layers) : try perLayer("feed_forward_length", 8...1_048_576)
        rotaryWidth = try bounded(
            "rope.dimension_count", metadata.unsigned(ifPresent: key("rope.dimension_count")) ?? headWidth,
            2...headWidth)
        attention = try AttentionLayers(
            metadata, key: key, layers: layers, headWidth: headWidth, rotaryWidth: rotaryWidth, bounded: bounded)
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
        if metadata[key("ssm.state_size")] != nil {
            func size(_ name: String, _ range: ClosedRange<Int>) throws -> Int {
                try bounded("ssm.\(name)", metadata.unsigned(key("ssm.\(name)")), range)
            }
            let heads = try size("time_step_rank", 1...1_024)
            let groups = try size("group_count", 1...heads)
            let inner = try size("inner_size", heads...65_536)
            _ = try bounded("ssm.group_count", heads % groups, 0...0)
            _ = try bounded("ssm.inner_size", inner % heads, 0...0)
            let isRecurrent = kvHeads.contains(0) ? kvHeads.map { $0 == 0 } : kvHeads.map { _ in true }
            recurrence = RecurrenceSizes(
                layers: isRecurrent, taps: try size("conv_kernel", 2...64), heads: heads, groups: groups,
                keyWidth: try size("state_size", 8...1_024), valueWidth: inner / heads)
        } else {
            recurrence = nil
        }
        convolutionTaps = try bounded(
            "shortconv.l_cache", metadata.unsigned(ifPresent: key("shortconv.l_cache")) ?? 3, 2...64)
        layerEmbeddingWidth = try bounded(
            "embedding_length_per_layer_input",
            metadata.unsigned(ifPresent: key("embedding_length_per_layer_input")) ?? 0, 0...65_536)
        let streamCount = try bounded(
            "altup.num_inputs", metadata.unsigned(ifPresent: key("altup.num_inputs")) ?? 0, 0...16)
        let activeStream = try metadata.unsigned(ifPresent: key("altup.active_idx")) ?? 0
        streams = AltUpStreams(
            count: streamCount, active: try bounded("altup.active_idx", activeStream, 0...max(streamCount - 1, 0)))
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
        (0..<layers).map { layer in
            let attends = kvHeads[layer] > 0 && attention.sources[layer] == layer
            return LayerMemory(
                attention: attends
                    ? .init(kvHeads: kvHeads[layer], headWidth: attention.headWidths[layer], format: format) : nil,
                state: state(of: layer))
        }
    }

    /// The state that a layer keeps for a sequence; nil if it is not recurrent.
    private func state(of layer: Int) -> RecurrentShape? {
        if let recurrence { return recurrence.layers[layer] ? recurrence.shape : nil }
        return kvHeads[layer] == 0 ? RecurrentShape(channels: width, taps: convolutionTaps) : nil
    }

    /// The total width of all query heads.
    package var queryWidth: Int { heads * headWidth }

    /// The width of the scratch rows that projections of recurrent layers and of gated attention need: at most all inputs
    /// and outputs of the convolution, a gate, and two numbers for each head; or queries with their gates, twice.
    package var projectedWidth: Int {
        guard let recurrence else { return kvHeads.contains(0) ? 3 * width : 0 }
        return max(2 * recurrence.channels + recurrence.innerWidth + 2 * recurrence.heads, 3 * queryWidth)
    }
}

extension Metadata {
    /// Which layers have a recurrent part instead of attention: the file lists them, or all but every n-th are; nil if it
    /// does not say.
    fileprivate func recurrentLayers(_ architecture: String, blocks: Int) throws -> [Bool]? {
        let list = "\(architecture).attention.recurrent_layers"
        if let listed = try bools(ifPresent: list) {
            guard listed.count == blocks else {
                throw NetworkError(
                    .invalidFile,
                    "\(list) has \(listed.count) entries for \(blocks) layers. The file is damaged; download it again.")
            }
            return listed
        }
        guard let interval = try unsigned(ifPresent: "\(architecture).full_attention_interval") else { return nil }
        return (1...blocks).map { interval == 0 || $0 % interval != 0 }
    }
}
