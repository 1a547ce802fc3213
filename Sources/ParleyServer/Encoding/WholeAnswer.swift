// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyOpenAI
import Synchronization

/// Work whose result is answered whole, such as embeddings and transcriptions: it has its turn in the queue of its model,
/// and ends when its client goes or its time is up.
struct WholeAnswer<Value: Sendable>: Sendable {
    let state: ServerState
    /// How many tokens a result counts for the limits of its client's key.
    let tokens: @Sendable (Value) -> Int

    /// Does the work on a request.
    ///
    /// - Parameters:
    ///   - asked: the request.
    ///   - countsForKey: whether it counts for the limits of the client's key.
    ///   - work: the work, which waits for its ``Turn`` when all is at hand.
    /// - Returns: the result.
    /// - Throws: ``ServerError`` and what else a request can fail with.
    func value(
        for asked: ReplyService.Asked, countsForKey: Bool = true,
        _ work: @escaping @Sendable (Turn) async throws -> Value
    ) async throws -> Value {
        let watch = try await asked.context.watch()
        let job = ReplyJob(limits: state.configuration.limits)
        let key = countsForKey ? asked.client.key : nil
        try state.begin(job, key)
        let (client, result) = (asked.client, Result())
        job.start { running in
            defer { state.end(running, key, tokens: result.value.map(tokens) ?? 0) }
            result.set(try await work(Turn(state: state, client: client.identity, job: running)))
        }
        watch.onClose {
            asked.record.end("disconnected")
            job.cancel()
        }
        defer { watch.onClose(nil) }
        for await event in job.events {
            if case .failed(let error) = event { throw error }
        }
        guard let value = result.value else { throw ServerError.failed }
        return value
    }

    /// The turn of a request among those for the same model.
    struct Turn: Sendable {
        fileprivate let state: ServerState
        fileprivate let client: String
        fileprivate let job: ReplyJob

        /// Runs what computes, when it is the request's turn, and ends the request when it takes too long.
        ///
        /// - Parameters:
        ///   - model: the id of the model.
        ///   - cost: how much it takes, in tokens.
        ///   - compute: the computation.
        /// - Returns: what it returns.
        /// - Throws: ``ServerError``; any error of `compute`.
        func take(
            of model: String, cost: Int, _ compute: @Sendable () async throws -> Value
        ) async throws -> Value {
            let arrival = ContinuousClock.now
            return try await state.admission(for: model).run(of: client, cost: cost) {
                state.metrics.admitted(after: arrival.duration(to: .now))
                return try await forgo(compute)
            }
        }

        /// Runs what computes without waiting for a turn, and ends the request when it takes too long.
        func forgo(_ compute: @Sendable () async throws -> Value) async throws -> Value {
            let clock = Task { [job, time = state.configuration.limits.requestTime] in
                try await Task.sleep(for: time)
                job.cancel(.tookTooLong)
            }
            defer { clock.cancel() }
            return try await compute()
        }
    }

    /// What the work has made.
    private final class Result: Sendable {
        private let state = Mutex<Value?>(nil)

        var value: Value? { state.withLock { $0 } }

        func set(_ value: Value) { state.withLock { $0 = value } }
    }
}

extension ServerError {
    /// The answer to work whose result would be answered whole, and which takes longer than the server allows.
    static let tookTooLong = ServerError(
        503, .timeLimitReached,
        "The request takes longer than the server allows. Send less at once, or start it with a larger --request-timeout."
    )
}
