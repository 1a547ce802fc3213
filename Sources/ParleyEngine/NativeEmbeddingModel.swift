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

/// An encoder loaded into Parley's own engine, which makes vectors of texts.
///
/// Weights are packed once and shared by all calls. Memory and threads are released with the last reference to the model.
///
/// ```swift
/// let model = try await NativeEmbeddingModel.load(url)
/// let vectors = try await model.embed([model.tokens(of: "A text")])
/// ```
package final class NativeEmbeddingModel: EmbeddingModel {
    /// The name, architecture and sizes of the model.
    package let info: ModelDescription
    /// The model's tokenizer.
    package let tokenizer: Tokenizer
    /// The longest text in tokens, those that begin and end it included.
    package let context: Int
    /// The number of values in a vector.
    package let dimensions: Int
    /// The memory that the model was expected to need.
    package let memoryPlan: MemoryPlan
    /// The number of threads that run a step together.
    package let threads: Int

    /// Reports when the engine's thread has freed the weights.
    package var lifetime: ModelLifetime? { scheduler.lifetime }

    private let scheduler: EmbeddingScheduler

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
    ///   ``/ParleyRuntime/RuntimeError`` for a network that is no supported encoder (`unsupported`) or does not fit
    ///   (`insufficientMemory`); `CancellationError`.
    package static func load(
        _ url: URL, configuration: EngineConfiguration = .init(),
        progress: @escaping @Sendable (Double) -> Void = { _ in }
    ) async throws -> NativeEmbeddingModel {
        try await ModelThread.load { isCancelled in
            try withRuntimeErrors {
                try NativeEmbeddingModel(GGUFFile(contentsOf: url), configuration, isCancelled: isCancelled, progress)
            }
        } work: { model in
            let scheduler = model.scheduler
            return { scheduler.work() }
        }
    }

    private init(
        _ file: GGUFFile, _ configuration: EngineConfiguration, isCancelled: @escaping () -> Bool,
        _ progress: @escaping (Double) -> Void
    ) throws {
        let header = try CheckedEncoder(file)
        let hyper = header.hyperparameters
        let lanes = try threadCount(configuration.threads)
        let plan = try MemoryPlan(file, header)
        if configuration.locksMemory { try checkLocking(plan.weights) }
        let (context, reservations) = try configuration.ledger.reserve { memory in
            // Positions have been learned: there is none beyond the trained context.
            let context = try plan.context(
                requested: configuration.context.map { min($0, hyper.trainedContext) }, usual: hyper.trainedContext,
                memory: memory, name: file.name)
            let parts = [
                plan.weights + plan.program, plan.scratch(context: context) + plan.cache(context: context),
            ]
            return (context, bytes: parts.map(\.count))
        }
        memoryPlan = plan
        self.context = context
        dimensions = hyper.width
        tokenizer = try Tokenizer(file.tokenizerDescription())
        let pool = WorkerPool(lanes: lanes, instructionSet: configuration.instructionSet)
        threads = pool.laneCount
        try pool.reserve(positions: context, columns: EncoderScratch.widestRow(hyper))
        let loader = ModelLoader(
            file: file, hyperparameters: hyper, context: context, pool: pool, locksMemory: configuration.locksMemory,
            isCancelled: isCancelled,
            progress: { bytes in
                reservations[0].reached(bytes, of: file.byteCount)
                progress(Double(bytes) / Double(file.byteCount))
            })
        let power = PowerWatch(
            configuration.power, of: StepLimits(threads: pool.laneCount, rows: EncoderScratch.usualPositions),
            look: configuration.condition)
        scheduler = EmbeddingScheduler(
            try EncoderEngine(
                network: try header.encoder(loader), hyperparameters: hyper, context: context, pooling: header.pooling,
                pool: pool, power: power, reservation: reservations[1]))
        reservations[0].reached(1, of: 1)
        info = ModelDescription(file, hyper)
    }

    deinit {
        scheduler.stop()
    }

    /// Why the engine cannot make embeddings with a model, judged by the file's header alone; nil if it can.
    package static func refusal(of url: URL) -> String? {
        do {
            try withRuntimeErrors { _ = try CheckedEncoder(GGUFFile(contentsOf: url)) }
            return nil
        } catch {
            return "\(error)"
        }
    }

    /// Computes the vector of each text, of length 1; see ``/ParleyRuntime/EmbeddingModel/embed(_:)``.
    ///
    /// - Throws: `CancellationError`; ``/ParleyRuntime/RuntimeError`` with code `contextExceeded` if a text is too long,
    ///   `invalidInput` if it is empty or has tokens beyond the vocabulary.
    package func embed(_ texts: [[TokenID]]) async throws -> [[Float]] {
        for (index, text) in texts.enumerated() { try check(text, index: index) }
        try Task.checkCancellation()
        return texts.isEmpty ? [] : try await scheduler.run(EmbeddingJob(texts))
    }

    private func check(_ text: [TokenID], index: Int) throws(RuntimeError) {
        guard text.count <= context else {
            throw RuntimeError(
                .contextExceeded,
                "Text \(index + 1) has \(text.count) tokens, but the model takes \(context) at most. Shorten or divide "
                    + "it, or have it truncated.")
        }
        guard !text.isEmpty else {
            throw RuntimeError(.invalidInput, "Text \(index + 1) has no tokens; give it at least one.")
        }
        let size = info.vocabularySize
        if let token = text.first(where: { $0 < 0 || Int($0) >= size }) {
            throw RuntimeError(
                .invalidInput, "Text \(index + 1) has the token \(token), but the vocabulary has \(size) tokens.")
        }
    }
}
