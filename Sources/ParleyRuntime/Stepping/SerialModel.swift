// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif
import ParleySystem

/// A model in a library that runs one sequence at a time.
package protocol SerialModel: SteppedModel where Engine == SerialEngine<Cache> {
    /// What the library keeps of a sequence.
    associatedtype Cache: SerialCache

    /// The sequences of the model.
    var sequences: SerialSequences { get }

    /// The memory that the model was expected to need.
    var memoryPlan: SerialMemoryPlan { get }

    /// Why the library cannot run a folder, judged by its descriptions alone; nil if it can.
    static func refusal(of url: URL) -> String?

    /// Loads a folder.
    ///
    /// - Parameters:
    ///   - url: the folder.
    ///   - configuration: the options for loading.
    ///   - progress: receives the completed fraction, from 0 to 1, on the model's thread.
    /// - Returns: the model, ready to run.
    /// - Throws: errors of the file, its tokenizer and the library; `CancellationError`.
    static func load(
        _ url: URL, configuration: SerialConfiguration, progress: @escaping @Sendable (Double) -> Void
    ) async throws -> Self
}

extension SerialModel {
    /// Creates an empty sequence.
    ///
    /// - Parameter capacity: the most positions it can hold, up to the context the model was loaded for.
    /// - Returns: the sequence.
    /// - Throws: ``RuntimeError`` with code `invalidInput` if the capacity is out of range, `insufficientMemory` if the
    ///   cache does not fit.
    package func makeTimeline(capacity: Int) throws -> any TokenTimeline {
        try makeTimeline(capacity: capacity) {
            try sequences.make(capacity: capacity) { [scheduler] in scheduler.wake() }
        }
    }
}

/// The sequences of a model in a library that runs one at a time: their numbers and their memory.
package struct SerialSequences: Sendable {
    private let memory: SequenceMemory
    private let numbers: SequenceNumbers
    private let bytes: @Sendable (_ capacity: Int) -> Int

    /// Creates the sequences of a model.
    ///
    /// - Parameters:
    ///   - memory: the memory of all of them.
    ///   - numbers: what the engine knows them by.
    ///   - bytes: the memory of the cache of a sequence of so many tokens.
    package init(
        _ memory: SequenceMemory, numbers: SequenceNumbers, bytes: @escaping @Sendable (_ capacity: Int) -> Int
    ) {
        (self.memory, self.numbers, self.bytes) = (memory, numbers, bytes)
    }

    fileprivate func make(capacity: Int, wake: @escaping @Sendable () -> Void) throws -> SerialSequence {
        let reservation = try memory.reserve(bytes(capacity), tokens: capacity)
        let number = numbers.take()
        return SerialSequence(number, capacity: capacity, reservation) { [numbers] in
            numbers.release(number)
            wake()
        }
    }
}
