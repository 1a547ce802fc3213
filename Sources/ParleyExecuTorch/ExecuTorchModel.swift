// SPDX-License-Identifier: Apache-2.0

#if ExecuTorch
    package import Foundation
    import ParleyModelFile
    package import ParleyRuntime
    import ParleySystem
    package import ParleyTokenizer

    /// A model exported for ExecuTorch, from a folder with `model.pte` and the files of its tokenizer.
    ///
    ///     let model = try await ExecuTorchModel.load(folder)
    ///     let timeline = try model.makeTimeline(capacity: model.context)
    package typealias ExecuTorchModel = SerialModel<ExecuTorchSource>

    /// A folder with `model.pte`, whose program is open.
    package struct ExecuTorchSource: SerialSource {
        package let info: ModelDescription
        private let folder: ExportedFolder
        private let program: ExecuTorchProgram

        package static func tokenizer(of url: URL) throws -> TokenizerDescription { try folder(url).tokenizer }

        private static func folder(_ url: URL) throws(ModelFileError) -> ExportedFolder {
            try ExportedFolder(contentsOf: url, .execuTorch)
        }

        package init(contentsOf url: URL) throws {
            folder = try Self.folder(url)
            program = try ExecuTorchProgram(path: folder.network, library: ExecuTorchLibrary.checked())
            guard program.vocabularySize == folder.vocabularySize else {
                throw RuntimeError(
                    .unsupported,
                    "\(folder.name): the program gives \(program.vocabularySize) logits, but config.json says that there "
                        + "are \(folder.vocabularySize) tokens. Use the files of the model that was exported.")
            }
            info = ModelDescription(
                name: url.standardizedFileURL.lastPathComponent, architecture: folder.architecture,
                vocabularySize: folder.vocabularySize, trainedContext: program.context, parameterCount: 0,
                chatTemplate: folder.chatTemplate, sampling: folder.sampling)
        }

        package var name: String { folder.name }
        package var tokenizer: TokenizerDescription { folder.tokenizer }
        package var usualContext: Int { program.context }
        package var longestContext: Int? { program.context }

        /// The program plans the memory of a whole sequence, however much of it is used.
        package var memoryPlan: SerialMemoryPlan {
            SerialMemoryPlan(
                // XNNPACK packs the weights into memory of its own.
                weights: ByteSize(clamping: folder.byteCount),
                scratch: ByteSize(clamping: folder.vocabularySize) * serialRows * 4,
                bytesPerSequence: ByteSize(clamping: program.plannedBytes))
        }

        /// Nothing more is loaded; the library chooses the number of threads and reports no progress.
        package func load(
            threads: Int, progress: @escaping (Double) -> Bool
        ) throws -> (_ capacity: Int) throws -> ExecuTorchCache {
            let program = program
            return { _ in try ExecuTorchCache(program) }
        }
    }
#endif
