// SPDX-License-Identifier: Apache-2.0

#if canImport(CoreML)
    package import Foundation
    import ParleyModelFile
    package import ParleyRuntime
    import ParleySystem
    package import ParleyTokenizer

    /// A model in Core ML, from a folder with the compiled network `model.mlmodelc` and the files of its tokenizer.
    ///
    /// One thread owns the network and its sequences, and ends when the model and its last timeline are released. Text is
    /// tokenized by Parley's own tokenizer, and tokens are sampled by Parley: the network computes logits, with keys and
    /// values as its state.
    ///
    /// It has never been compiled or run by this project, whose tests run on Linux.
    ///
    ///     let model = try await CoreMLModel.load(folder)
    ///     let timeline = try model.makeTimeline(capacity: model.context)
    package final class CoreMLModel: SerialModel {
        package typealias Cache = CoreMLCache

        /// The name, architecture, sizes and chat template of the model.
        package let info: ModelDescription
        /// The model's tokenizer.
        package let tokenizer: Tokenizer
        /// The longest sequence, in tokens: that of the network, if no shorter one was asked for.
        package let context: Int
        /// The memory that the model was expected to need.
        package let memoryPlan: SerialMemoryPlan

        package let scheduler: StepScheduler<SerialEngine<CoreMLCache>>
        package let sequences: SerialSequences

        /// Loads a folder.
        ///
        /// - Parameters:
        ///   - url: a directory with `model.mlmodelc`.
        ///   - configuration: the options for loading; the system chooses the number of threads.
        ///   - progress: receives the completed fraction, from 0 to 1, on the model's thread; the system reports none
        ///     in between.
        /// - Returns: the model, ready to run.
        /// - Throws: `ModelFileError` for a damaged or incomplete folder; `TokenizerError` for an unknown tokenizer;
        ///   ``/ParleyRuntime/RuntimeError`` for a network of another form (`unsupported`), one that the system
        ///   cannot load (`engineFailed`), or a model that does not fit (`insufficientMemory`); `CancellationError`.
        package static func load(
            _ url: URL, configuration: SerialConfiguration = .init(),
            progress: @escaping @Sendable (Double) -> Void = { _ in }
        ) async throws -> CoreMLModel {
            try await loadOnItsThread { isCancelled in
                let model = try CoreMLModel(url, configuration, isCancelled)
                progress(1)
                return model
            }
        }

        private init(
            _ url: URL, _ configuration: SerialConfiguration, _ isCancelled: @escaping () -> Bool
        ) throws {
            let folder = try Self.folder(url)
            tokenizer = try Tokenizer(folder.tokenizer)
            let network = try CoreMLNetwork(path: folder.network)
            // The state has the memory of a whole sequence, however much of it is used.
            let state = ByteSize(clamping: network.stateBytes)
            let context = min(configuration.context ?? network.context, network.context)
            let plan = SerialMemoryPlan(
                weights: ByteSize(clamping: folder.byteCount),
                scratch: ByteSize(clamping: folder.vocabularySize) * serialRows * 4,
                bytesPerToken: ByteSize(clamping: state.count / max(context, 1) + 1))
            let memory = try plan.reserve(configuration, trained: network.context, usual: context, name: folder.name)
            defer { withExtendedLifetime(memory.loading) {} }
            self.context = memory.context
            memoryPlan = plan
            let numbers = SequenceNumbers()
            sequences = SerialSequences(memory.sequences, numbers: numbers) { _ in state.count }
            info = ModelDescription(
                name: url.standardizedFileURL.lastPathComponent, architecture: folder.architecture,
                vocabularySize: folder.vocabularySize, trainedContext: network.context, parameterCount: 0,
                chatTemplate: folder.chatTemplate, sampling: folder.sampling)
            if isCancelled() { throw CancellationError() }
            let running = RunningStep<CoreMLCache>()
            scheduler = StepScheduler(
                try SerialEngine(
                    vocabularySize: folder.vocabularySize, numbers: numbers, running: running,
                    makeCache: { _ in CoreMLCache(network, vocabularySize: folder.vocabularySize) }),
                interrupt: { running.noticeCancellation() })
        }

        deinit {
            scheduler.stop()
        }

        private static func folder(_ url: URL) throws(ModelFileError) -> ExportedFolder {
            try ExportedFolder(contentsOf: url, .coreML, weights: "model.mlmodelc/weights/weight.bin")
        }

        /// Why the runtime cannot run a folder, judged by its descriptions alone; nil if it can.
        package static func refusal(of url: URL) -> String? {
            do {
                _ = try Tokenizer(folder(url).tokenizer)
                return nil
            } catch {
                return "\(error)"
            }
        }
    }
#endif
