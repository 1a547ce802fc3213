// SPDX-License-Identifier: Apache-2.0

#if LlamaCpp
    import CParleyLlamaCpp
    package import Foundation
    import ParleyModelFile
    package import ParleyRuntime
    import ParleySystem
    package import ParleyTokenizer

    /// A model loaded into llama.cpp.
    ///
    /// One thread owns everything that llama.cpp keeps for it, and ends when the model and its last timeline are gone.
    /// Text is turned into tokens by Parley's own tokenizer, so that everything above the engine is the same for all.
    ///
    ///     let model = try await LlamaCppModel.load(url)
    ///     let timeline = try model.makeTimeline(capacity: model.context)
    package final class LlamaCppModel: ImageTokenModel, SteppedModel {
        /// What the model is: its name, architecture, sizes and chat template.
        package let info: ModelDescription
        /// The model's tokenizer.
        package let tokenizer: Tokenizer
        /// The longest sequence it was loaded for, in tokens.
        package let context: Int
        /// The threads that share a step.
        package let threads: Int
        /// The model's thread: replies choose their tokens on it, between two steps.
        package var executor: (any TaskExecutor)? { scheduler }

        /// Tells when the model's thread has freed what llama.cpp held.
        package var lifetime: ModelLifetime? { scheduler.lifetime }

        package let scheduler: StepScheduler<LlamaCppEngine>
        private let images: ImageTable?
        private let places: SequencePlaces
        /// Whether sequences can be cut at any position.
        private let cutsExactly: Bool

        /// Loads a GGUF file.
        ///
        /// The file is checked by Parley's own reader before llama.cpp sees it. Cancelling the task frees everything.
        ///
        /// - Parameters:
        ///   - url: the file, or any part of a split one.
        ///   - configuration: how to load it.
        ///   - progress: told the fraction loaded, from 0 to 1, on the model's thread.
        /// - Returns: the model, ready to run.
        /// - Throws: `ModelFileError` for a file that is broken or incomplete, `TokenizerError` for a tokenizer that is
        ///   not known, ``/ParleyRuntime/RuntimeError`` for a model that llama.cpp does not run or a library that
        ///   cannot be used (`unsupported`), or that does not fit (`insufficientMemory`), `CancellationError`.
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
            let plan = try LlamaCppMemoryPlan(file)
            threads = try threadCount(configuration.threads)
            if configuration.locksMemory { try checkLocking(plan.weights) }
            let (chosen, reservations) = try MemoryLedger.process.reserve { memory in
                let chosen = try plan.choose(configuration, memory: memory, name: file.name)
                return (chosen, bytes: [plan.total(context: chosen.context, sequences: chosen.sequences).count])
            }
            // Reserved until the model is loaded: llama.cpp writes all of its memory then.
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
            images = try configuration.projector.map { [threads] url in
                // The projector's header is checked as the model's was.
                _ = try GGUFFile(contentsOf: url)
                return ImageTable(
                    try LlamaCppProjector(
                        path: url.path, weights: weights, threads: threads, usesGPU: configuration.gpuLayers != 0))
            }
            info = ModelDescription(file, architecture: try file.architecture, weights)
            cutsExactly = weights.cutsExactly
            let shape = LlamaCppContext.Shape(
                length: context, sequences: chosen.sequences, threads: threads,
                rows: images == nil ? Int(PARLEY_LLAMA_ROWS) : Self.rowsOfImages)
            places = SequencePlaces(
                shape,
                bytesPerContext: (plan.cache(context: context, sequences: chosen.sequences) + plan.scratch).count)
            let running = RunningBatch()
            scheduler = StepScheduler(
                try LlamaCppEngine(weights, images: images, shape: shape, places: places, running: running),
                interrupt: { running.noticeCancellation() })
        }

        deinit {
            scheduler.stop()
        }

        /// Whether it was loaded with a projector.
        package var seesImages: Bool { images != nil }

        /// The ids that an image takes in a prompt; see ``/ParleyRuntime/ImageTokenModel``.
        ///
        /// - Throws: ``/ParleyRuntime/RuntimeError`` with code `invalidInput` where the bytes are no image,
        ///   `unsupported` where the model cannot see images.
        package func tokens(ofImage bytes: Data) throws -> [TokenID] {
            if let images { return try images.tokens(of: bytes) }
            throw RuntimeError(.unsupported, "The model was loaded without a projector and sees no images.")
        }

        /// Some models attend to an image in both directions, and so need all of it in one batch.
        private static let rowsOfImages = 2_048

        /// Creates an empty sequence.
        ///
        /// - Parameter capacity: the positions it can hold; at most the context the model was loaded for.
        /// - Returns: the sequence.
        /// - Throws: ``/ParleyRuntime/RuntimeError`` with code `invalidInput` for a capacity out of range,
        ///   `insufficientMemory` where another cache does not fit.
        package func makeTimeline(capacity: Int) throws -> any TokenTimeline {
            try makeTimeline(capacity: capacity) {
                let place = try places.take()
                return LlamaCppSequence(place, rewindsExactly: cutsExactly, images: images) { [places, scheduler] in
                    places.release(place)
                    scheduler.wake()
                }
            }
        }

        /// llama.cpp opens a split model by its first part.
        private static func firstPart(of url: URL) -> URL {
            guard let first = SplitName(url.lastPathComponent)?.all.first else { return url }
            return url.deletingLastPathComponent().appending(path: first)
        }
    }

    extension ModelDescription {
        fileprivate init(_ file: GGUFFile, architecture: String, _ weights: LlamaCppWeights) {
            let sampling = file.samplingDefaults
            self.init(
                name: file.modelName ?? file.name, architecture: architecture,
                vocabularySize: weights.vocabularySize, trainedContext: weights.trainedContext,
                parameterCount: weights.parameterCount, chatTemplate: file.chatTemplate,
                sampling: .init(
                    temperature: sampling.temperature, topK: sampling.topK, topP: sampling.topP, minP: sampling.minP,
                    repetitionPenalty: sampling.repetitionPenalty, penaltyWindow: sampling.repetitionWindow))
        }
    }
#endif
