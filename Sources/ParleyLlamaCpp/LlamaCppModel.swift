// SPDX-License-Identifier: Apache-2.0

#if LlamaCpp
    package import Foundation
    import ParleyModelFile
    package import ParleyRuntime
    import ParleySystem
    package import ParleyTokenizer

    /// A model loaded into llama.cpp.
    ///
    /// One thread owns everything that llama.cpp allocates for the model, and ends when the model and its last timeline
    /// are released. Text is tokenized by Parley's own tokenizer, so that all code above the engine is the same for all
    /// engines.
    ///
    ///     let model = try await LlamaCppModel.load(url)
    ///     let timeline = try model.makeTimeline(capacity: model.context)
    package final class LlamaCppModel: ImageTokenModel, SteppedModel {
        /// The name, architecture, sizes and chat template of the model.
        package let info: ModelDescription
        /// The model's tokenizer.
        package let tokenizer: Tokenizer
        /// The longest sequence that the model was loaded for, in tokens.
        package let context: Int
        /// The number of sequences that the model was loaded for.
        package let sequences: Int
        /// The memory that the model was expected to need.
        package let memoryPlan: LlamaCppMemoryPlan
        /// The number of threads that run a step together.
        package let threads: Int
        package let scheduler: StepScheduler<LlamaCppEngine>
        private let images: ImageTable?
        private let places: SequencePlaces
        /// Whether tokens can be removed from any position of a sequence on.
        private let cutsExactly: Bool

        /// Loads a GGUF file.
        ///
        /// Parley's own reader checks the file before llama.cpp opens it. Cancelling the task frees everything.
        ///
        /// - Parameters:
        ///   - url: the file, or any part of a split file.
        ///   - configuration: the options for loading.
        ///   - progress: receives the completed fraction, from 0 to 1, on the model's thread.
        /// - Returns: the model, ready to run.
        /// - Throws: `ModelFileError` for a damaged or incomplete file; `TokenizerError` for an unknown tokenizer;
        ///   ``/ParleyRuntime/RuntimeError`` for a model that llama.cpp cannot run or a library that cannot be used
        ///   (`unsupported`), or a model that does not fit (`insufficientMemory`); `CancellationError`.
        package static func load(
            _ url: URL, configuration: LlamaCppConfiguration = .init(),
            progress: @escaping @Sendable (Double) -> Void = { _ in }
        ) async throws -> LlamaCppModel {
            try await loadOnItsThread { isCancelled in
                try LlamaCppModel(url, configuration, isCancelled, progress)
            }
        }

        private init(
            _ url: URL, _ configuration: LlamaCppConfiguration, _ isCancelled: @escaping () -> Bool,
            _ progress: @escaping (Double) -> Void
        ) throws {
            let file = try GGUFFile(contentsOf: url)
            tokenizer = try Tokenizer(file.tokenizerDescription())
            _ = try LlamaCppLibrary.checked()
            // The projector's header is checked in the same way as the model's.
            let plan = try LlamaCppMemoryPlan(
                file, projector: configuration.projector.map { try GGUFFile(contentsOf: $0) })
            threads = try threadCount(configuration.threads)
            if configuration.locksMemory { try checkLocking(plan.weights) }
            let (chosen, reservations) = try MemoryLedger.process.reserve { memory in
                let chosen = try plan.choose(configuration, memory: memory, name: file.name)
                return (chosen, bytes: [plan.total(context: chosen.context, sequences: chosen.sequences).count])
            }
            // Reserved until the model is loaded: llama.cpp has written the weights and the cache by then, and each context
            // reserves its own scratch memory.
            defer { withExtendedLifetime(reservations) {} }
            let weights = try LlamaCppWeights(
                path: Self.firstPart(of: url).path, gpuLayers: configuration.gpuLayers,
                isLocked: configuration.locksMemory,
                progress: { fraction in
                    progress(fraction)
                    return !isCancelled()
                })
            guard tokenizer.vocabularySize <= weights.vocabularySize else {
                throw RuntimeError(
                    .invalidFile,
                    "\(file.name): the tokenizer has \(tokenizer.vocabularySize) tokens, but the network knows "
                        + "\(weights.vocabularySize). The file is damaged; download it again.")
            }
            context = chosen.context
            sequences = chosen.sequences
            memoryPlan = plan
            images = try configuration.projector.map { [threads] url in
                ImageTable(
                    try LlamaCppProjector(
                        path: url.path, weights: weights, threads: threads, usesGPU: configuration.gpuLayers != 0))
            }
            info = ModelDescription(file, architecture: try file.architecture, weights)
            cutsExactly = weights.cutsExactly
            let shape = LlamaCppContext.Shape(
                length: context, sequences: chosen.sequences, threads: threads, plan: plan)
            places = SequencePlaces(shape)
            let running = RunningBatch()
            scheduler = StepScheduler(
                try LlamaCppEngine(weights, shape: shape, places: places, running: running),
                interrupt: { running.noticeCancellation() })
        }

        deinit {
            scheduler.stop()
        }

        /// Whether the model was loaded with a projector.
        package var seesImages: Bool { images != nil }

        /// Returns what represents an image in a prompt; see ``/ParleyRuntime/ImageTokenModel``.
        ///
        /// - Throws: ``/ParleyRuntime/RuntimeError`` with code `invalidInput` if the bytes are not an image,
        ///   `unsupported` if the model was loaded without a projector.
        package func input(ofImage bytes: Data) throws -> ModelInput {
            guard let images else { throw Self.seesNothing }
            return try images.input(of: bytes)
        }

        static let seesNothing = RuntimeError(
            .unsupported, "The model was loaded without a projector and sees no images.")

        /// Creates an empty sequence.
        ///
        /// - Parameter capacity: the most positions it can hold, up to the context the model was loaded for.
        /// - Returns: the sequence.
        /// - Throws: ``/ParleyRuntime/RuntimeError`` with code `invalidInput` if the capacity is out of range,
        ///   `insufficientMemory` if another context is needed and does not fit.
        package func makeTimeline(capacity: Int) throws -> any TokenTimeline {
            try makeTimeline(capacity: capacity) {
                let place = try places.take()
                return LlamaCppSequence(place, rewindsExactly: cutsExactly, images: images) { [places, scheduler] in
                    places.release(place)
                    scheduler.wake()
                }
            }
        }

        /// The first part of a split model, with which llama.cpp opens it.
        private static func firstPart(of url: URL) -> URL {
            guard let first = SplitName(url.lastPathComponent)?.all.first else { return url }
            return url.deletingLastPathComponent().appending(path: first)
        }
    }

    extension ModelDescription {
        fileprivate init(_ file: GGUFFile, architecture: String, _ weights: LlamaCppWeights) {
            self.init(
                name: file.modelName ?? file.name, architecture: architecture,
                vocabularySize: weights.vocabularySize, trainedContext: weights.trainedContext,
                parameterCount: weights.parameterCount, chatTemplate: file.chatTemplate,
                sampling: file.samplingDefaults)
        }
    }
#endif
