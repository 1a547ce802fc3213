// SPDX-License-Identifier: Apache-2.0

#if ONNX
    package import Foundation
    import ParleyModelFile
    package import ParleyRuntime
    import ParleySystem
    package import ParleyTokenizer

    /// A model loaded into ONNX Runtime, through its library for generating text, GenAI.
    ///
    ///     let model = try await ONNXModel.load(folder)
    ///     let timeline = try model.makeTimeline(capacity: model.context)
    package typealias ONNXModel = SerialModel<ONNXSource>

    /// A folder with `genai_config.json`.
    package struct ONNXSource: SerialSource {
        package let info: ModelDescription
        private let folder: ONNXFolder
        private let library: ONNXLibrary

        package static func tokenizer(of url: URL) throws -> TokenizerDescription {
            try ONNXFolder(contentsOf: url).tokenizer
        }

        package init(contentsOf url: URL) throws {
            folder = try ONNXFolder(contentsOf: url)
            library = try ONNXLibrary.checked()
            info = ModelDescription(
                name: url.standardizedFileURL.lastPathComponent, architecture: folder.architecture,
                vocabularySize: folder.vocabularySize, trainedContext: folder.trainedContext, parameterCount: 0,
                chatTemplate: folder.chatTemplate, sampling: folder.sampling)
        }

        package var name: String { folder.name }
        package var tokenizer: TokenizerDescription { folder.tokenizer }
        package var usualContext: Int { UsualContext.tokens }

        /// ONNX Runtime copies the files and allocates the cache of a sequence at once, as 32-bit floats.
        package var memoryPlan: SerialMemoryPlan {
            SerialMemoryPlan(
                weights: ByteSize(clamping: folder.byteCount),
                // The logits, and their copy when they are read.
                scratch: ByteSize(clamping: folder.vocabularySize) * serialRows * 4 * 2,
                bytesPerToken: ByteSize(clamping: folder.valuesPerToken) * 4)
        }

        /// Loads the weights; the library reports no progress.
        package func load(
            threads: Int, progress: @escaping (Double) -> Bool
        ) throws -> (_ capacity: Int) throws -> ONNXGenerator {
            let weights = try ONNXWeights(path: folder.name, threads: threads, library: library)
            let vocabularySize = folder.vocabularySize
            return { try ONNXGenerator(weights, length: $0, vocabularySize: vocabularySize) }
        }
    }
#endif
