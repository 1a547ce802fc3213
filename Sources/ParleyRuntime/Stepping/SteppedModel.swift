// SPDX-License-Identifier: Apache-2.0

/// A model that has its own thread, which loads it, runs its steps and frees it.
///
/// The model calls ``StepScheduler/stop()`` when it is deinitialised; its timelines keep it alive until then.
package protocol SteppedModel: TokenModel {
    /// The type that runs the steps on the thread.
    associatedtype Engine: StepEngine

    /// The longest sequence that the model was loaded for, in tokens.
    var context: Int { get }

    /// Runs the steps of all timelines.
    var scheduler: StepScheduler<Engine> { get }

    /// What the policy for the machine's battery and heat has led to; nil if the engine follows none.
    var power: PowerWatch.Status? { get }
}

extension SteppedModel {
    /// The model's thread, on which replies choose their tokens between two steps.
    package var executor: (any TaskExecutor)? { scheduler }

    /// Reports when the model's thread has freed the memory of the model.
    package var lifetime: ModelLifetime? { scheduler.lifetime }

    /// Nil: the engine follows no policy.
    package var power: PowerWatch.Status? { nil }

    /// The steps that the model has run.
    package var stepFigures: StepFigures { scheduler.figures }

    /// Loads a model on a new thread, which then runs the model's steps. Cancelling the task frees everything.
    ///
    /// - Parameter load: loads the model; it should call `isCancelled` repeatedly and throw if that returns true.
    /// - Returns: the model.
    /// - Throws: any error of `load`; `CancellationError`; ``RuntimeError`` if the system cannot create a thread.
    package static func loadOnItsThread(
        _ load: @escaping @Sendable (_ isCancelled: @escaping @Sendable () -> Bool) throws -> Self
    ) async throws -> Self {
        try await ModelThread.load(load) { model in
            let scheduler = model.scheduler
            return { scheduler.work() }
        }
    }

    /// Creates an empty sequence.
    ///
    /// - Parameters:
    ///   - capacity: the most positions it can hold, up to the context the model was loaded for.
    ///   - make: creates the engine's state for the sequence.
    /// - Returns: the sequence.
    /// - Throws: ``RuntimeError`` with code `invalidInput` if the capacity is out of range, and any error of `make`.
    package func makeTimeline(
        capacity: Int, _ make: () throws -> Engine.Sequence
    ) throws -> any TokenTimeline {
        guard (1...context).contains(capacity) else {
            throw RuntimeError(
                .invalidInput,
                "A sequence of \(capacity) tokens is not possible: the model was loaded for \(context).")
        }
        return StepTimeline(try make(), of: self, capacity: capacity)
    }
}
