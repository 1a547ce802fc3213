// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyOpenAI
import Synchronization

/// Work whose result is answered whole, such as embeddings and transcriptions: it has its turn in the queue of its model,
/// and ends when its client goes or its time is up.
struct WholeAnswer<Value: Sendable>: Sendable {
    let state: ServerState
    /// How many tokens work counts for that is ended while it computes: about as many as it would have read. How far it
    /// was is not known, and whoever leaves before the answer has used the model too.
    var endedTokens = 0
    /// How many tokens a result counts for the limits of its client's key.
    let tokens: @Sendable (Value) -> Int

    /// Does the work on a request.
    ///
    /// - Parameters:
    ///   - asked: the request.
    ///   - work: the work, which waits for its ``Turn`` when all is at hand.
    /// - Returns: the result.
    /// - Throws: ``ServerError`` and what else a request can fail with.
    func value(
        for asked: ServerRequest, _ work: @escaping @Sendable (Turn) async throws -> Value
    ) async throws -> Value {
        let watch = try await asked.context.watch()
        let job = ReplyJob(limits: state.configuration.limits)
        try state.begin(job, asked.client.key)
        let (client, claim, result) = (asked.client, asked.claim, Result())
        job.start { running in
            defer {
                let ended = result.hasBegun && Task.isCancelled ? endedTokens : 0
                claim.leave(tokens: result.value.map(tokens) ?? ended)
                state.end(running)
            }
            result.set(try await work(Turn(state: state, client: client.identity, job: running, result: result)))
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
        fileprivate let result: Result

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
            result.begin()
            return try await compute()
        }
    }

    /// What the work has made.
    fileprivate final class Result: Sendable {
        private let state = Mutex<(hasBegun: Bool, value: Value?)>((false, nil))

        /// Whether it has begun to compute.
        var hasBegun: Bool { state.withLock { $0.hasBegun } }

        var value: Value? { state.withLock { $0.value } }

        func begin() { state.withLock { $0.hasBegun = true } }

        func set(_ value: Value) { state.withLock { $0.value = value } }
    }
}

extension ServerError {
    /// The answer to work whose result would be answered whole, and which takes longer than the server allows.
    static let tookTooLong = ServerError(
        503, .timeLimitReached,
        "The request takes longer than the server allows. Send less at once, or start it with a larger --request-timeout."
    )
}
