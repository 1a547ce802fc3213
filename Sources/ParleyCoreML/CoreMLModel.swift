// SPDX-License-Identifier: Apache-2.0

#if canImport(CoreML)
    package import Foundation
    import ParleyModelFile
    package import ParleyRuntime
    import ParleySystem
    package import ParleyTokenizer

    /// A model in Core ML, from a folder with the compiled network `model.mlmodelc` and the files of its tokenizer.
    ///
    /// It has never been compiled or run by this project, whose tests run on Linux.
    ///
    ///     let model = try await CoreMLModel.load(folder)
    ///     let timeline = try model.makeTimeline(capacity: model.context)
    package typealias CoreMLModel = SerialModel<CoreMLSource>

    /// A folder with `model.mlmodelc`, which is loaded: a network that computes logits, with keys and values as its state.
    package struct CoreMLSource: SerialSource {
        package let info: ModelDescription
        private let folder: ExportedFolder
        private let network: CoreMLNetwork

        package static func tokenizer(of url: URL) throws -> TokenizerDescription { try folder(url).tokenizer }

        private static func folder(_ url: URL) throws(ModelFileError) -> ExportedFolder {
            try ExportedFolder(contentsOf: url, .coreML, weights: "model.mlmodelc/weights/weight.bin")
        }

        package init(contentsOf url: URL) throws {
            folder = try Self.folder(url)
            network = try CoreMLNetwork(path: folder.network)
            info = ModelDescription(
                name: url.standardizedFileURL.lastPathComponent, architecture: folder.architecture,
                vocabularySize: folder.vocabularySize, trainedContext: network.context, parameterCount: 0,
                chatTemplate: folder.chatTemplate, sampling: folder.sampling)
        }

        package var name: String { folder.name }
        package var tokenizer: TokenizerDescription { folder.tokenizer }
        package var usualContext: Int { network.context }
        package var longestContext: Int? { network.context }

        /// The state has the memory of a whole sequence, however much of it is used.
        package var memoryPlan: SerialMemoryPlan {
            SerialMemoryPlan(
                weights: ByteSize(clamping: folder.byteCount),
                scratch: ByteSize(clamping: folder.vocabularySize) * serialRows * 4,
                bytesPerSequence: network.stateSize)
        }

        /// Nothing more is loaded; the system chooses the number of threads and reports no progress.
        package func load(
            threads: Int, progress: @escaping (Double) -> Bool
        ) throws -> (_ capacity: Int) throws -> CoreMLCache {
            let (network, vocabularySize) = (network, folder.vocabularySize)
            return { _ in CoreMLCache(network, vocabularySize: vocabularySize) }
        }
    }
#endif
