// SPDX-License-Identifier: Apache-2.0

#if ExecuTorch
    package import Foundation
    import ParleyModelFile
    package import ParleyRuntime
    import ParleySystem
    package import ParleyTokenizer

    /// A model exported for ExecuTorch, from a folder with `model.pte` and the files of its tokenizer.
    ///
    /// One thread owns everything that the library allocates for the model, and ends when the model and its last
    /// timeline are released. Text is tokenized by Parley's own tokenizer, and tokens are sampled by Parley: the program
    /// computes logits.
    ///
    ///     let model = try await ExecuTorchModel.load(folder)
    ///     let timeline = try model.makeTimeline(capacity: model.context)
    package final class ExecuTorchModel: SerialModel {
        package typealias Cache = ExecuTorchCache

        /// The name, architecture, sizes and chat template of the model.
        package let info: ModelDescription
        /// The model's tokenizer.
        package let tokenizer: Tokenizer
        /// The longest sequence, in tokens: that of the program, if no shorter one was asked for.
        package let context: Int
        /// The memory that the model was expected to need.
        package let memoryPlan: SerialMemoryPlan

        package let scheduler: StepScheduler<SerialEngine<ExecuTorchCache>>
        package let sequences: SerialSequences

        /// Loads a folder.
        ///
        /// - Parameters:
        ///   - url: a directory with `model.pte`.
        ///   - configuration: the options for loading; the library chooses the number of threads.
        ///   - progress: receives the completed fraction, from 0 to 1, on the model's thread; the library reports none
        ///     in between.
        /// - Returns: the model, ready to run.
        /// - Throws: `ModelFileError` for a damaged or incomplete folder; `TokenizerError` for an unknown tokenizer;
        ///   ``/ParleyRuntime/RuntimeError`` for a library that cannot be used (`unsupported`), a program that it cannot
        ///   run (`engineFailed`), or a model that does not fit (`insufficientMemory`); `CancellationError`.
        package static func load(
            _ url: URL, configuration: SerialConfiguration = .init(),
            progress: @escaping @Sendable (Double) -> Void = { _ in }
        ) async throws -> ExecuTorchModel {
            try await loadOnItsThread { isCancelled in
                let model = try ExecuTorchModel(url, configuration, isCancelled)
                progress(1)
                return model
            }
        }

        private init(
            _ url: URL, _ configuration: SerialConfiguration, _ isCancelled: @escaping () -> Bool
        ) throws {
            let folder = try ExportedFolder(contentsOf: url, .execuTorch)
            let library = try ExecuTorchLibrary.checked()
            tokenizer = try Tokenizer(folder.tokenizer)
            let program = try ExecuTorchProgram(path: folder.network, library: library)
            guard program.vocabularySize == folder.vocabularySize else {
                throw RuntimeError(
                    .unsupported,
                    "\(folder.name): the program gives \(program.vocabularySize) logits, but config.json says that there "
                        + "are \(folder.vocabularySize) tokens. Use the files of the model that was exported.")
            }
            // The program plans the memory of a whole sequence, however much of it is used.
            let planned = ByteSize(clamping: program.plannedBytes)
            let context = min(configuration.context ?? program.context, program.context)
            let plan = SerialMemoryPlan(
                // XNNPACK packs the weights into memory of its own.
                weights: ByteSize(clamping: folder.byteCount),
                scratch: ByteSize(clamping: folder.vocabularySize) * serialRows * 4,
                bytesPerToken: ByteSize(clamping: program.plannedBytes / max(context, 1) + 1))
            let memory = try plan.reserve(configuration, trained: program.context, usual: context, name: folder.name)
            defer { withExtendedLifetime(memory.loading) {} }
            self.context = memory.context
            memoryPlan = plan
            let numbers = SequenceNumbers()
            sequences = SerialSequences(memory.sequences, numbers: numbers) { _ in planned.count }
            info = ModelDescription(
                name: url.standardizedFileURL.lastPathComponent, architecture: folder.architecture,
                vocabularySize: folder.vocabularySize, trainedContext: program.context, parameterCount: 0,
                chatTemplate: folder.chatTemplate, sampling: folder.sampling)
            if isCancelled() { throw CancellationError() }
            let running = RunningStep<ExecuTorchCache>()
            scheduler = StepScheduler(
                try SerialEngine(
                    vocabularySize: folder.vocabularySize, numbers: numbers, running: running,
                    makeCache: { _ in try ExecuTorchCache(program) }),
                interrupt: { running.noticeCancellation() })
        }

        deinit {
            scheduler.stop()
        }

        /// Why the runtime cannot run a folder, judged by its descriptions alone; nil if it can.
        package static func refusal(of url: URL) -> String? {
            do {
                _ = try Tokenizer(ExportedFolder(contentsOf: url, .execuTorch).tokenizer)
                return nil
            } catch {
                return "\(error)"
            }
        }
    }
#endif
