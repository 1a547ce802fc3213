// SPDX-License-Identifier: Apache-2.0

import ParleySystem

/// A model that has a thread of its own, which loads it, runs its steps and frees it.
///
/// The model calls ``StepScheduler/stop()`` when it is released; timelines keep it alive.
package protocol SteppedModel: TokenModel {
    /// What runs the steps on the thread.
    associatedtype Engine: StepEngine

    /// The longest sequence it was loaded for, in tokens.
    var context: Int { get }

    /// Merges the steps of all timelines.
    var scheduler: StepScheduler<Engine> { get }
}

extension SteppedModel {
    /// Loads a model on its thread, which then runs its steps. Cancelling the task frees everything.
    ///
    /// - Parameter load: loads the model; asks `isCancelled` now and then, and throws where it is true.
    /// - Returns: the model.
    /// - Throws: what `load` throws; `CancellationError`; ``RuntimeError`` where the system has no thread to give.
    package static func loadOnItsThread(
        _ load: @escaping @Sendable (_ isCancelled: @escaping @Sendable () -> Bool) throws -> Self
    ) async throws -> Self {
        let cancellation = Cancellation()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let started = startThread {
                    let scheduler: StepScheduler<Engine>
                    do {
                        let model = try load { cancellation.isSet }
                        if cancellation.isSet { throw CancellationError() }
                        scheduler = model.scheduler
                        continuation.resume(returning: model)
                    } catch {
                        continuation.resume(throwing: cancellation.isSet ? CancellationError() : error)
                        return
                    }
                    scheduler.work()
                }
                guard !started else { return }
                continuation.resume(
                    throwing: RuntimeError(
                        .engineFailed, "The system gave the engine no thread. Close other programs and try again."))
            }
        } onCancel: {
            cancellation.set()
        }
    }

    /// Creates an empty sequence.
    ///
    /// - Parameters:
    ///   - capacity: the positions it can hold; at most the context the model was loaded for.
    ///   - make: makes what the engine keeps of it.
    /// - Returns: the sequence.
    /// - Throws: ``RuntimeError`` with code `invalidInput` for a capacity out of range, and what `make` throws.
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
