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
    package final class ONNXModel: SteppedModel {
        /// The name, architecture, sizes and chat template of the model.
        package let info: ModelDescription
        /// The model's tokenizer.
        package let tokenizer: Tokenizer
        /// The longest sequence that the model was loaded for, in tokens.
        package let context: Int
        /// The memory that the model was expected to need.
        package let memoryPlan: ONNXMemoryPlan
        /// The number of threads that run a step together.
        package let threads: Int
        /// The model's thread, on which replies choose their tokens between two steps.
        package var executor: (any TaskExecutor)? { scheduler }
        /// Reports when the model's thread has freed the memory of the library.
        package var lifetime: ModelLifetime? { scheduler.lifetime }

        package let scheduler: StepScheduler<ONNXEngine>
        private let sequences: SequenceMemory
        private let numbers = SequenceNumbers()

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
            _ url: URL, configuration: ONNXConfiguration = .init(),
            progress: @escaping @Sendable (Double) -> Void = { _ in }
        ) async throws -> ONNXModel {
            try await loadOnItsThread { isCancelled in
                let model = try ONNXModel(url, configuration, isCancelled)
                progress(1)
                return model
            }
        }

        private init(
            _ url: URL, _ configuration: ONNXConfiguration, _ isCancelled: @escaping () -> Bool
        ) throws {
            let folder = try ONNXFolder(contentsOf: url)
            let library = try ONNXLibrary.checked()
            tokenizer = try Tokenizer(folder.tokenizer)
            let plan = ONNXMemoryPlan(folder)
            threads = try threadCount(configuration.threads)
            let (context, reservations) = try configuration.ledger.reserve { memory in
                let context = try plan.budget.context(
                    requested: configuration.context, trained: folder.trainedContext, usual: UsualContext.tokens,
                    memory: memory, name: folder.name)
                return (context, bytes: [plan.weights + plan.scratch, plan.cache(context: context)].map(\.count))
            }
            // Reserved only until the weights are loaded, because they have been written by then.
            defer { withExtendedLifetime(reservations[0]) {} }
            self.context = context
            memoryPlan = plan
            sequences = SequenceMemory(first: reservations[1], in: configuration.ledger)
            info = ModelDescription(
                name: url.standardizedFileURL.lastPathComponent, architecture: folder.architecture,
                vocabularySize: folder.vocabularySize, trainedContext: folder.trainedContext, parameterCount: 0,
                chatTemplate: folder.chatTemplate, sampling: folder.sampling)
            let weights = try ONNXWeights(path: url.path, threads: threads, library: library)
            if isCancelled() { throw CancellationError() }
            let running = RunningGenerator()
            scheduler = StepScheduler(
                try ONNXEngine(
                    weights, vocabularySize: folder.vocabularySize, numbers: numbers, running: running),
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

        /// Creates an empty sequence.
        ///
        /// - Parameter capacity: the most positions it can hold, up to the context the model was loaded for.
        /// - Returns: the sequence.
        /// - Throws: ``/ParleyRuntime/RuntimeError`` with code `invalidInput` if the capacity is out of range,
        ///   `insufficientMemory` if the cache does not fit.
        package func makeTimeline(capacity: Int) throws -> any TokenTimeline {
            try makeTimeline(capacity: capacity) {
                let reservation = try sequences.reserve(memoryPlan.cache(context: capacity).count, tokens: capacity)
                let number = numbers.take()
                return ONNXSequence(number, capacity: capacity, reservation) { [numbers, scheduler] in
                    numbers.release(number)
                    scheduler.wake()
                }
            }
        }
    }
#endif
