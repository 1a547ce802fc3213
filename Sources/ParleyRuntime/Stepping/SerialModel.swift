// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif
import ParleySystem
package import ParleyTokenizer

/// A model in a library that runs one sequence at a time.
///
/// One thread owns everything that the library allocates for the model, and ends when the model and its last timeline
/// are released. Text is tokenized by Parley's own tokenizer, and tokens are sampled by Parley: the library computes
/// logits.
///
///     let model = try await SerialModel<Source>.load(folder)
///     let timeline = try model.makeTimeline(capacity: model.context)
package final class SerialModel<Source: SerialSource>: SteppedModel {
    /// The name, architecture, sizes and chat template of the model.
    package let info: ModelDescription
    /// The model's tokenizer.
    package let tokenizer: Tokenizer
    /// The longest sequence that the model was loaded for, in tokens.
    package let context: Int
    /// The memory that the model was expected to need.
    package let memoryPlan: SerialMemoryPlan

    package let scheduler: StepScheduler<SerialEngine<Source.Cache>>
    private let numbers: SequenceNumbers
    private let memory: SequenceMemory

    /// Loads a folder.
    ///
    /// - Parameters:
    ///   - url: the folder.
    ///   - configuration: the options for loading; a context longer than the network's becomes the network's.
    ///   - progress: receives the completed fraction, from 0 to 1, on the model's thread; many libraries report none in
    ///     between.
    /// - Returns: the model, ready to run.
    /// - Throws: `ModelFileError` for a damaged or incomplete folder; `TokenizerError` for an unknown tokenizer;
    ///   ``RuntimeError`` for a library or a network that cannot be used (`unsupported`), a network that the library
    ///   cannot load (`engineFailed`), or a model that does not fit (`insufficientMemory`); `CancellationError`.
    package static func load(
        _ url: URL, configuration: SerialConfiguration = .init(),
        progress: @escaping @Sendable (Double) -> Void = { _ in }
    ) async throws -> SerialModel {
        try await loadOnItsThread { isCancelled in
            try SerialModel(Source(contentsOf: url), configuration, isCancelled, progress)
        }
    }

    private init(
        _ source: Source, _ configuration: SerialConfiguration, _ isCancelled: @escaping () -> Bool,
        _ progress: @escaping (Double) -> Void
    ) throws {
        (info, memoryPlan) = (source.info, source.memoryPlan)
        tokenizer = try Tokenizer(source.tokenizer)
        let threads = try threadCount(configuration.threads)
        let reserved = try source.memoryPlan.reserve(
            configuration, trained: source.info.trainedContext, usual: source.usualContext,
            longest: source.longestContext, name: source.name)
        // The weights have been written when they are loaded.
        defer { withExtendedLifetime(reserved.weights) {} }
        (context, memory) = (reserved.context, reserved.sequences)
        let numbers = SequenceNumbers()
        self.numbers = numbers
        let makeCache = try source.load(threads: threads) { fraction in
            progress(fraction)
            return !isCancelled()
        }
        if isCancelled() { throw CancellationError() }
        let running = RunningStep<Source.Cache>()
        scheduler = StepScheduler(
            try SerialEngine(
                vocabularySize: source.info.vocabularySize, numbers: numbers, running: running,
                scratch: reserved.scratch, makeCache: makeCache),
            interrupt: { running.noticeCancellation() })
        progress(1)
    }

    deinit {
        scheduler.stop()
    }

    /// Creates an empty sequence.
    ///
    /// - Parameter capacity: the most positions it can hold, up to the context the model was loaded for.
    /// - Returns: the sequence.
    /// - Throws: ``RuntimeError`` with code `invalidInput` if the capacity is out of range, `insufficientMemory` if the
    ///   cache does not fit.
    package func makeTimeline(capacity: Int) throws -> any TokenTimeline {
        try makeTimeline(capacity: capacity) {
            let reservation = try memory.reserve(memoryPlan.cache(context: capacity).count, tokens: capacity)
            let number = numbers.take()
            return SerialSequence(number, capacity: capacity, reservation) { [numbers, scheduler] in
                numbers.release(number)
                scheduler.wake()
            }
        }
    }
}
