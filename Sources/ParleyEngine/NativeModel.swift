// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
import ParleyModelFile
import ParleyNetwork
public import ParleyRuntime
import ParleyTensor
public import ParleyTokenizer

/// A model loaded into Parley's own engine.
///
/// Weights are packed once and shared by all timelines; memory and threads are given back when the model and its last
/// timeline are gone.
///
/// ```swift
/// let model = try await NativeModel.load(url)
/// let timeline = try model.makeTimeline()
/// ```
public final class NativeModel: TokenModel {
    /// What the model says of itself.
    public let description: ModelDescription
    /// The model's tokenizer.
    public let tokenizer: Tokenizer
    /// The longest sequence it was loaded for, in tokens.
    public let context: Int
    /// The memory it was planned to take.
    public let memoryPlan: MemoryPlan
    /// The threads that share a step.
    public let threads: Int

    /// The engine's thread: replies choose their tokens on it, between two steps.
    public var executor: (any TaskExecutor)? { scheduler }

    /// Tells when the engine's thread has freed the weights.
    public let lifetime: ModelLifetime?

    let scheduler: BatchScheduler
    private let memories: [LayerMemory]
    private let sequences: SequenceMemory

    /// Loads a GGUF file.
    ///
    /// The work is done on the engine's own threads. Cancelling the task frees everything.
    ///
    /// - Parameters:
    ///   - url: the file, or any part of a split one.
    ///   - configuration: how to load it.
    ///   - progress: told the fraction loaded, from 0 to 1, on one of the engine's threads.
    /// - Returns: the model, ready to run.
    /// - Throws: `ModelFileError` for a file that is broken or incomplete, `TokenizerError` for a tokenizer that is
    ///   not known, ``/ParleyRuntime/RuntimeError`` for a network that is not supported (`unsupported`) or does not
    ///   fit (`insufficientMemory`), `CancellationError`.
    public static func load(
        _ url: URL, configuration: EngineConfiguration = .init(),
        progress: @escaping @Sendable (Double) -> Void = { _ in }
    ) async throws -> NativeModel {
        let cancellation = StepJob.Cancellation()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let started = startThread {
                    continuation.resume(
                        with: Result {
                            try withRuntimeErrors {
                                try NativeModel(
                                    GGUFFile(contentsOf: url), configuration, isCancelled: { cancellation.isSet },
                                    progress)
                            }
                        })
                }
                guard !started else { return }
                continuation.resume(throwing: RuntimeError(.engineFailed, "The system gave no thread to load with."))
            }
        } onCancel: {
            cancellation.set()
        }
    }

    private init(
        _ file: GGUFFile, _ configuration: EngineConfiguration, isCancelled: @escaping () -> Bool,
        _ progress: @escaping (Double) -> Void
    ) throws {
        let architecture = try Self.architecture(of: file)
        let hyper = try Hyperparameters(file)
        let lanes = try threadCount(configuration.threads)
        let plan = try MemoryPlan(file, hyper, lanes: lanes)
        if configuration.locksMemory { try MemoryLock.check(plan.weights.count) }
        let (context, reservations) = try configuration.ledger.reserve { memory in
            let context = try plan.context(
                requested: configuration.context, usual: EngineConfiguration.usualContext, memory: memory,
                name: file.name)
            let parts = [plan.weights + plan.program, plan.scratch, plan.cache(context: context)]
            return (context, bytes: parts.map(\.count))
        }
        memoryPlan = plan
        self.context = context
        sequences = SequenceMemory(first: reservations[2], in: configuration.ledger)
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
        let lifetime = ModelLifetime()
        self.lifetime = lifetime
        scheduler = BatchScheduler(
            try BatchRunner(
                network: try architecture(loader), hyperparameters: hyper, pool: pool,
                reservation: reservations[1]),
            lifetime: lifetime)
        reservations[0].reached(1, of: 1)
        memories = hyper.memories
        description = ModelDescription(file, hyper)
        try scheduler.start()
    }

    deinit {
        lifetime?.begin()
        scheduler.stop()
    }

    /// Why the engine does not run a model, from the file's header alone; nil where it does.
    ///
    /// What is wrong with the tensors themselves only loading tells.
    public static func refusal(of url: URL) -> String? {
        do {
            let file = try GGUFFile(contentsOf: url)
            _ = try architecture(of: file)
            _ = try MemoryPlan(file)
            return nil
        } catch {
            return "\(error)"
        }
    }

    private static func architecture(of file: GGUFFile) throws -> (ModelLoader) throws -> any Architecture {
        let name = try file.architecture
        if let architecture = architectures[name] { return architecture }
        throw RuntimeError(
            .unsupported,
            "\(file.name): the architecture “\(name)” is not one this engine runs "
                + "(\(architectures.keys.sorted().joined(separator: ", "))). llama.cpp may run it.")
    }

    /// Creates an empty sequence.
    ///
    /// - Parameter capacity: the positions it can hold; at most the context the model was loaded for.
    /// - Returns: the sequence.
    /// - Throws: ``/ParleyRuntime/RuntimeError`` with code `invalidInput` for a capacity out of range,
    ///   `insufficientMemory` where the cache does not fit.
    public func makeTimeline(capacity: Int) throws -> any TokenTimeline {
        guard (1...context).contains(capacity) else {
            throw RuntimeError(
                .invalidInput,
                "A sequence of \(capacity) tokens is not possible: the model was loaded for \(context).")
        }
        let reservation = try sequences.reserve(memoryPlan.cache(context: capacity).count, tokens: capacity)
        return try withRuntimeErrors {
            let cache = try SequenceCache(memories, capacity: capacity)
            return NativeTimeline(model: self, cache: cache, capacity: capacity, reservation: reservation)
        }
    }

    /// Creates an empty sequence as long as the context the model was loaded for.
    ///
    /// - Throws: ``/ParleyRuntime/RuntimeError`` with code `insufficientMemory` where the cache does not fit.
    public func makeTimeline() throws -> any TokenTimeline {
        try makeTimeline(capacity: context)
    }
}

extension ModelDescription {
    fileprivate init(_ file: GGUFFile, _ hyper: Hyperparameters) {
        self.init(
            name: file.modelName ?? file.name, architecture: hyper.architecture,
            vocabularySize: hyper.vocabularySize, trainedContext: hyper.trainedContext,
            parameterCount: file.parameterCount, chatTemplate: file.chatTemplate,
            sampling: file.samplingDefaults)
    }
}
