// SPDX-License-Identifier: Apache-2.0

import ParleySystem

/// Starts the threads of models: each loads its model, then runs the model's steps, and at last frees it.
package enum ModelThread {
    /// Loads a model on a new thread, which then works for it. Cancelling the task frees everything.
    ///
    /// - Parameters:
    ///   - load: loads the model; it should call `isCancelled` repeatedly and throw if that returns true.
    ///   - work: returns what the thread then does, which must not keep the model alive.
    /// - Returns: the model.
    /// - Throws: any error of `load`; `CancellationError`; ``RuntimeError`` if the system cannot create a thread.
    package static func load<Model: Sendable>(
        _ load: @escaping @Sendable (_ isCancelled: @escaping @Sendable () -> Bool) throws -> Model,
        work: @escaping @Sendable (Model) -> () -> Void
    ) async throws -> Model {
        let cancellation = Cancellation()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let started = startThread {
                    let loop: () -> Void
                    do {
                        let model = try load { cancellation.isSet }
                        if cancellation.isSet { throw CancellationError() }
                        loop = work(model)
                        continuation.resume(returning: model)
                    } catch {
                        continuation.resume(throwing: cancellation.isSet ? CancellationError() : error)
                        return
                    }
                    TimeSlices.askForShort()
                    loop()
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
}
