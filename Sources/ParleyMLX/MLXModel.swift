// SPDX-License-Identifier: Apache-2.0

#if MLX
    package import Foundation
    import ParleyModelFile
    package import ParleyRuntime
    import ParleySystem
    package import ParleyTokenizer

    /// A model loaded into MLX, from a folder in the form of Hugging Face.
    ///
    /// One thread owns everything that the library allocates for the model, and ends when the model and its last
    /// timeline are released. Text is tokenized by Parley's own tokenizer, and tokens are sampled by Parley: the library
    /// computes logits. Models in MLX take turns: no two of them compute at the same time.
    ///
    ///     let model = try await MLXModel.load(folder)
    ///     let timeline = try model.makeTimeline(capacity: model.context)
    package final class MLXModel: SerialModel {
        package typealias Cache = MLXCache

        /// The name, architecture, sizes and chat template of the model.
        package let info: ModelDescription
        /// The model's tokenizer.
        package let tokenizer: Tokenizer
        /// The longest sequence that the model was loaded for, in tokens.
        package let context: Int
        /// The memory that the model was expected to need.
        package let memoryPlan: SerialMemoryPlan

        package let scheduler: StepScheduler<SerialEngine<MLXCache>>
        package let sequences: SerialSequences

        /// Loads a folder.
        ///
        /// - Parameters:
        ///   - url: a directory with `config.json`, whose weights are floats or MLX's groups.
        ///   - configuration: the options for loading; the library does not let the number of threads be chosen.
        ///   - progress: receives the completed fraction, from 0 to 1, on the model's thread.
        /// - Returns: the model, ready to run.
        /// - Throws: `ModelFileError` for a damaged or incomplete folder; `TokenizerError` for an unknown tokenizer;
        ///   ``/ParleyRuntime/RuntimeError`` for a library that cannot be used (`unsupported`), a network that it cannot
        ///   load (`engineFailed`), or a model that does not fit (`insufficientMemory`); `CancellationError`.
        package static func load(
            _ url: URL, configuration: SerialConfiguration = .init(),
            progress: @escaping @Sendable (Double) -> Void = { _ in }
        ) async throws -> MLXModel {
            try await loadOnItsThread { isCancelled in
                try MLXModel(url, configuration, isCancelled, progress)
            }
        }

        private init(
            _ url: URL, _ configuration: SerialConfiguration, _ isCancelled: @escaping () -> Bool,
            _ progress: @escaping (Double) -> Void
        ) throws {
            let network = try FolderNetwork(contentsOf: url)
            let library = try MLXLibrary.checked()
            tokenizer = try Tokenizer(network.tokenizer)
            let plan = SerialMemoryPlan(network)
            let memory = try plan.reserve(
                configuration, trained: network.trainedContext, usual: UsualContext.tokens, name: network.name)
            defer { withExtendedLifetime(memory.loading) {} }
            context = memory.context
            memoryPlan = plan
            let numbers = SequenceNumbers()
            sequences = SerialSequences(memory.sequences, numbers: numbers) { plan.cache(context: $0).count }
            let vocabularySize = network.shape.vocabularySize
            info = ModelDescription(
                name: network.label, architecture: network.architecture, vocabularySize: vocabularySize,
                trainedContext: network.trainedContext, parameterCount: network.parameterCount,
                chatTemplate: network.chatTemplate, sampling: network.sampling)
            let weights = try MLXWeights(network, library: library) { fraction in
                progress(fraction)
                return !isCancelled()
            }
            let running = RunningStep<MLXCache>()
            scheduler = StepScheduler(
                try SerialEngine(
                    vocabularySize: vocabularySize, numbers: numbers, running: running,
                    makeCache: { try MLXCache(weights, capacity: $0, vocabularySize: vocabularySize) }),
                interrupt: { running.noticeCancellation() })
        }

        deinit {
            scheduler.stop()
        }

        /// Why the engine cannot run a folder, judged by its descriptions alone; nil if it can.
        package static func refusal(of url: URL) -> String? {
            do {
                _ = try Tokenizer(FolderNetwork(contentsOf: url).tokenizer)
                return nil
            } catch {
                return "\(error)"
            }
        }
    }

    extension SerialMemoryPlan {
        /// The memory of a folder's network in MLX, which copies the files.
        ///
        /// With weights in groups, all floats have 32 bits.
        fileprivate init(_ network: FolderNetwork) {
            let shape = network.shape
            let isGrouped = network.tensors.contains { $0.bits > 0 }
            let weights = network.tensors.reduce(ByteSize.zero) { sum, tensor in
                guard isGrouped, tensor.valueBytes < 4 else { return sum + ByteSize(clamping: tensor.byteCount) }
                let floats = tensor.bits > 0 ? 2 * (tensor.elementCount / tensor.groupSize) : tensor.elementCount
                return sum + ByteSize(clamping: tensor.byteCount) + ByteSize(clamping: floats) * 2
            }
            // The logits, also before they are 32-bit floats, and what a layer computes for the rows of a step.
            let row = 3 * shape.vocabularySize + 4 * shape.feedForward + 12 * shape.width
            self.init(
                weights: weights, scratch: ByteSize(clamping: row) * serialRows * 4,
                bytesPerToken: ByteSize(clamping: network.valuesPerToken) * (isGrouped ? 4 : network.valueBytes))
        }
    }
#endif
