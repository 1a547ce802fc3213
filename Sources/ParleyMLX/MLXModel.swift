// SPDX-License-Identifier: Apache-2.0

#if MLX
    package import Foundation
    import ParleyModelFile
    package import ParleyRuntime
    import ParleySystem
    package import ParleyTokenizer

    /// A model loaded into MLX, from a folder in the form of Hugging Face.
    ///
    /// Models in MLX take turns: no two of them compute at the same time.
    ///
    ///     let model = try await MLXModel.load(folder)
    ///     let timeline = try model.makeTimeline(capacity: model.context)
    package typealias MLXModel = SerialModel<MLXSource>

    /// A folder with `config.json`, whose weights are floats or MLX's groups.
    package struct MLXSource: SerialSource {
        package let info: ModelDescription
        private let network: FolderNetwork
        private let library: MLXLibrary

        package static func tokenizer(of url: URL) throws -> TokenizerDescription {
            try FolderNetwork(contentsOf: url).tokenizer
        }

        package init(contentsOf url: URL) throws {
            network = try FolderNetwork(contentsOf: url)
            library = try MLXLibrary.checked()
            info = ModelDescription(
                name: network.label, architecture: network.architecture,
                vocabularySize: network.shape.vocabularySize, trainedContext: network.trainedContext,
                parameterCount: network.parameterCount, chatTemplate: network.chatTemplate, sampling: network.sampling)
        }

        package var name: String { network.name }
        package var tokenizer: TokenizerDescription { network.tokenizer }
        package var usualContext: Int { UsualContext.tokens }

        /// MLX copies the files. With weights in groups, all floats have 32 bits.
        package var memoryPlan: SerialMemoryPlan {
            let shape = network.shape
            let isGrouped = network.tensors.contains { $0.bits > 0 }
            let weights = network.tensors.reduce(ByteSize.zero) { sum, tensor in
                guard isGrouped, tensor.valueBytes < 4 else { return sum + ByteSize(clamping: tensor.byteCount) }
                let floats = tensor.bits > 0 ? 2 * (tensor.elementCount / tensor.groupSize) : tensor.elementCount
                return sum + ByteSize(clamping: tensor.byteCount) + ByteSize(clamping: floats) * 2
            }
            // The logits, also before they are 32-bit floats, and what a layer computes for the rows of a step.
            let row = 3 * shape.vocabularySize + 4 * shape.feedForward + 12 * shape.width
            return SerialMemoryPlan(
                weights: weights, scratch: ByteSize(clamping: row) * serialRows * 4,
                bytesPerToken: ByteSize(clamping: network.valuesPerToken) * (isGrouped ? 4 : network.valueBytes))
        }

        /// Loads the weights; the library does not let the number of threads be chosen.
        package func load(
            threads: Int, progress: @escaping (Double) -> Bool
        ) throws -> (_ capacity: Int) throws -> MLXCache {
            let weights = try MLXWeights(network, library: library, progress: progress)
            let vocabularySize = network.shape.vocabularySize
            return { try MLXCache(weights, capacity: $0, vocabularySize: vocabularySize) }
        }
    }
#endif
