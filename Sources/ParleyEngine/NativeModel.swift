// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif
import ParleyModelFile
import ParleyNetwork
package import ParleyRuntime
import ParleySystem
import ParleyTensor
package import ParleyTokenizer

/// A model loaded into Parley's own engine.
///
/// Weights are packed once and shared by all timelines. Memory and threads are released when the model and its last
/// timeline are released.
///
/// ```swift
/// let model = try await NativeModel.load(url)
/// let timeline = try model.makeTimeline()
/// ```
package final class NativeModel: TokenModel, SteppedModel {
    /// The name, architecture, sizes and chat template of the model.
    package let info: ModelDescription
    /// The model's tokenizer.
    package let tokenizer: Tokenizer
    /// The longest sequence that the model was loaded for, in tokens.
    package let context: Int
    /// The memory that the model was expected to need.
    package let memoryPlan: MemoryPlan
    /// The number of threads that run a step together.
    package let threads: Int

    package var power: PowerWatch.Status? { watch.status }

    /// Its sequences lie in memory alike.
    package var adoptsPrefixes: Bool { true }

    package var cacheBytesPerToken: Int? { memoryPlan.cacheBytesPerToken }

    package let scheduler: StepScheduler<NativeEngine>
    private let memories: [LayerMemory]
    private let snapshotFormat: String
    private let watch: PowerWatch
    private let sequences: SequenceMemory

    /// Loads a GGUF file.
    ///
    /// The work is done on the engine's own threads. Cancelling the task frees everything.
    ///
    /// - Parameters:
    ///   - url: the file, or any part of a split file.
    ///   - configuration: the options for loading.
    ///   - progress: receives the completed fraction, from 0 to 1, on one of the engine's threads.
    /// - Returns: the model, ready to run.
    /// - Throws: `ModelFileError` for a damaged or incomplete file; `TokenizerError` for an unknown tokenizer;
    ///   ``/ParleyRuntime/RuntimeError`` for a network that is not supported (`unsupported`) or does not fit
    ///   (`insufficientMemory`); `CancellationError`.
    package static func load(
        _ url: URL, configuration: EngineConfiguration = .init(),
        progress: @escaping @Sendable (Double) -> Void = { _ in }
    ) async throws -> NativeModel {
        try await loadOnItsThread { isCancelled in
            try withRuntimeErrors {
                try NativeModel(GGUFFile(contentsOf: url), configuration, isCancelled: isCancelled, progress)
            }
        }
    }

    private init(
        _ file: GGUFFile, _ configuration: EngineConfiguration, isCancelled: @escaping () -> Bool,
        _ progress: @escaping (Double) -> Void
    ) throws {
        let header = try CheckedHeader(file)
        let hyper = header.hyperparameters
        let lanes = try threadCount(configuration.threads)
        let plan = try MemoryPlan(file, hyper, lanes: lanes, cache: configuration.cacheType.format)
        if configuration.locksMemory { try checkLocking(plan.weights) }
        let (context, reservations) = try configuration.ledger.reserve { memory in
            let context = try plan.context(
                requested: configuration.context, usual: EngineConfiguration.usualContext, memory: memory,
                name: file.name)
            let parts = [
                plan.weights + plan.program, plan.scratch(context: context), plan.cache(context: context),
            ]
            return (context, bytes: parts.map(\.count))
        }
        memoryPlan = plan
        self.context = context
        sequences = SequenceMemory(
            first: reservations[2], in: configuration.ledger, limit: configuration.cacheMemory)
        tokenizer = try Tokenizer(file.tokenizerDescription())
        let pool = WorkerPool(lanes: lanes, instructionSet: configuration.instructionSet)
        threads = pool.laneCount
        try pool.reserve(positions: context, columns: StepScratch.widestRow(hyper))
        let loader = ModelLoader(
            file: file, hyperparameters: hyper, context: context, pool: pool,
            locksMemory: configuration.locksMemory, isCancelled: isCancelled,
            progress: { bytes in
                reservations[0].reached(bytes, of: file.byteCount)
                progress(Double(bytes) / Double(file.byteCount))
            })
        watch = PowerWatch(
            configuration.power, of: StepLimits(threads: pool.laneCount, rows: StepScratch.rows),
            look: configuration.condition)
        scheduler = StepScheduler(
            try NativeEngine(
                network: try header.architecture(loader), hyperparameters: hyper, pool: pool, power: watch,
                reservation: reservations[1]))
        reservations[0].reached(1, of: 1)
        memories = hyper.memories(configuration.cacheType.format)
        // The kernels of two instruction sets differ within rounding.
        let layout = memories.map(\.layout).joined(separator: ", ")
        snapshotFormat = "native, \(configuration.instructionSet.rawValue): \(layout)"
        info = ModelDescription(file, hyper)
    }

    deinit {
        scheduler.stop()
    }

    /// Why the engine cannot run a model, judged by the file's header alone; nil if it can.
    ///
    /// Faults in the values of tensors are found only by loading.
    package static func refusal(of url: URL) -> String? {
        do {
            _ = try MemoryPlan(GGUFFile(contentsOf: url))
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
            return try withRuntimeErrors {
                NativeSequence(
                    try SequenceCache(memories, capacity: capacity), capacity: capacity, snapshotFormat: snapshotFormat,
                    reservation)
            }
        }
    }

    /// Creates an empty sequence for the whole context the model was loaded for.
    ///
    /// - Throws: ``/ParleyRuntime/RuntimeError`` with code `insufficientMemory` if the cache does not fit.
    package func makeTimeline() throws -> any TokenTimeline {
        try makeTimeline(capacity: context)
    }
}

extension ModelDescription {
    init(_ file: GGUFFile, _ hyper: Hyperparameters) {
        self.init(
            name: file.modelName ?? file.name, architecture: hyper.architecture,
            vocabularySize: hyper.vocabularySize, trainedContext: hyper.trainedContext,
            parameterCount: file.parameterCount, chatTemplate: file.chatTemplate,
            sampling: file.samplingDefaults)
    }
}
