// SPDX-License-Identifier: Apache-2.0

#if ONNX
    package import Foundation
    import ParleyModelFile
    package import ParleyRuntime
    import ParleySystem
    package import ParleyTokenizer

    /// A model loaded into ONNX Runtime, through its library for generating text, GenAI.
    ///
    /// One thread owns everything that the library allocates for the model, and ends when the model and its last
    /// timeline are released. Text is tokenized by Parley's own tokenizer, and tokens are sampled by Parley: the library
    /// computes logits.
    ///
    ///     let model = try await ONNXModel.load(folder)
    ///     let timeline = try model.makeTimeline(capacity: model.context)
    package final class ONNXModel: SerialModel {
        package typealias Cache = ONNXGenerator

        /// The name, architecture, sizes and chat template of the model.
        package let info: ModelDescription
        /// The model's tokenizer.
        package let tokenizer: Tokenizer
        /// The longest sequence that the model was loaded for, in tokens.
        package let context: Int
        /// The memory that the model was expected to need.
        package let memoryPlan: SerialMemoryPlan
        /// The number of threads that run a step together.
        package let threads: Int

        package let scheduler: StepScheduler<SerialEngine<ONNXGenerator>>
        package let sequences: SerialSequences

        /// Loads a folder.
        ///
        /// - Parameters:
        ///   - url: a directory with `genai_config.json`.
        ///   - configuration: the options for loading.
        ///   - progress: receives the completed fraction, from 0 to 1, on the model's thread; the library reports none
        ///     in between.
        /// - Returns: the model, ready to run.
        /// - Throws: `ModelFileError` for a damaged or incomplete folder; `TokenizerError` for an unknown tokenizer;
        ///   ``/ParleyRuntime/RuntimeError`` for a library that cannot be used (`unsupported`), a network that it cannot
        ///   load (`engineFailed`), or a model that does not fit (`insufficientMemory`); `CancellationError`.
        package static func load(
            _ url: URL, configuration: SerialConfiguration = .init(),
            progress: @escaping @Sendable (Double) -> Void = { _ in }
        ) async throws -> ONNXModel {
            try await loadOnItsThread { isCancelled in
                let model = try ONNXModel(url, configuration, isCancelled)
                progress(1)
                return model
            }
        }

        private init(
            _ url: URL, _ configuration: SerialConfiguration, _ isCancelled: @escaping () -> Bool
        ) throws {
            let folder = try ONNXFolder(contentsOf: url)
            let library = try ONNXLibrary.checked()
            tokenizer = try Tokenizer(folder.tokenizer)
            let plan = SerialMemoryPlan(folder)
            threads = try threadCount(configuration.threads)
            let memory = try plan.reserve(
                configuration, trained: folder.trainedContext, usual: UsualContext.tokens, name: folder.name)
            defer { withExtendedLifetime(memory.loading) {} }
            context = memory.context
            memoryPlan = plan
            let numbers = SequenceNumbers()
            sequences = SerialSequences(memory.sequences, numbers: numbers) { plan.cache(context: $0).count }
            info = ModelDescription(
                name: url.standardizedFileURL.lastPathComponent, architecture: folder.architecture,
                vocabularySize: folder.vocabularySize, trainedContext: folder.trainedContext, parameterCount: 0,
                chatTemplate: folder.chatTemplate, sampling: folder.sampling)
            let weights = try ONNXWeights(path: url.path, threads: threads, library: library)
            if isCancelled() { throw CancellationError() }
            let running = RunningStep<ONNXGenerator>()
            scheduler = StepScheduler(
                try SerialEngine(
                    vocabularySize: folder.vocabularySize, numbers: numbers, running: running,
                    makeCache: { try ONNXGenerator(weights, length: $0, vocabularySize: folder.vocabularySize) }),
                interrupt: { running.noticeCancellation() })
        }

        deinit {
            scheduler.stop()
        }

        /// Why the runtime cannot run a folder, judged by its descriptions alone; nil if it can.
        package static func refusal(of url: URL) -> String? {
            do {
                _ = try Tokenizer(ONNXFolder(contentsOf: url).tokenizer)
                return nil
            } catch {
                return "\(error)"
            }
        }
    }

    extension SerialMemoryPlan {
        /// The memory of a folder's network in ONNX Runtime, which copies its files and allocates the cache of a
        /// sequence at once, as 32-bit floats.
        fileprivate init(_ folder: ONNXFolder) {
            self.init(
                weights: ByteSize(clamping: folder.byteCount),
                // The logits, and their copy when they are read.
                scratch: ByteSize(clamping: folder.vocabularySize) * serialRows * 4 * 2,
                bytesPerToken: ByteSize(clamping: folder.valuesPerToken) * 4)
        }
    }
#endif
