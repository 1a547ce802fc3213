// SPDX-License-Identifier: Apache-2.0

import Dispatch
import ParleySystem
import Synchronization

/// One request for a reply, from its creation to its end.
final class GenerationSession: Sendable {
    private struct State {
        /// The task that waits for the request's turn and then generates.
        var task: Task<Void, Never>?
        var turn = Turn.expected
        /// The reason for which it was asked to end early; only the first is kept.
        var ending: FinishReason?
        /// The result; nil until the request has ended.
        var outcome: Result<MessageCompletion, ConversationError>?
        /// The tasks that wait for the outcome.
        var waiters: [CheckedContinuation<MessageCompletion, any Error>] = []
    }

    /// Whether the turn of the request has come.
    private enum Turn {
        case expected
        case awaited(CheckedContinuation<GenerationRequest?, Never>)
        /// The turn has come: the request for the runner, or nil if the request was withdrawn.
        case come(GenerationRequest?)
    }

    let message: ChatMessage?
    let options: GenerationOptions?
    /// Functions for this request, in addition to the conversation's own.
    let functions: [Function]
    /// The series that it belongs to, if any.
    let series: ReplySeries?
    let runner: any ModelRunner
    /// The events of the reply, to be read by its consumer.
    let events: EventBuffer<MessageResponse>
    /// How far the reply is from its next piece; only the newest is kept for a consumer that is late.
    let (progress, progressed) = AsyncStream<GenerationProgress>.makeStream(bufferingPolicy: .bufferingNewest(1))
    private let conversation: Conversation

    /// No other lock is taken while this one is held: tasks are cancelled after its release.
    private let state = Mutex(State())

    init(
        message: ChatMessage?, options: GenerationOptions?, functions: [Function], series: ReplySeries?,
        events: EventBuffer<MessageResponse>, runner: any ModelRunner, conversation: Conversation
    ) {
        self.message = message
        self.options = options
        self.functions = functions
        self.series = series
        self.events = events
        self.runner = runner
        self.conversation = conversation
    }

    /// The reason for which the request was asked to end, if any.
    var ending: FinishReason? { state.withLock { $0.ending } }

    /// Waits until it is this request's turn. Cancelling the task does not end the wait.
    ///
    /// - Returns: the request for the runner; nil if the request was withdrawn.
    func turn() async -> GenerationRequest? {
        await withCheckedContinuation { continuation in
            let come = state.withLock { state -> GenerationRequest?? in
                if case .come(let request) = state.turn { return request }
                state.turn = .awaited(continuation)
                return nil
            }
            if let come { continuation.resume(returning: come) }
        }
    }

    /// Ends the wait for the request's turn; to be called once, with nil if the turn will never come.
    func begin(_ request: GenerationRequest?) {
        let waiter = state.withLock { state -> CheckedContinuation<GenerationRequest?, Never>? in
            defer { state.turn = .come(request) }
            if case .awaited(let continuation) = state.turn { return continuation }
            return nil
        }
        waiter?.resume(returning: request)
    }

    /// Sets the task that generates the reply.
    func attach(_ task: Task<Void, Never>) {
        let isStopping = state.withLock { state in
            state.task = task
            return state.ending != nil
        }
        // The request was stopped between its admission and this call.
        if isStopping { task.cancel() }
    }

    /// Ends the request when its timeout expires, whatever it is waiting for. Runners also check the time between
    /// tokens and usually notice it first.
    ///
    /// A dispatch queue is used because a sleeping task would not wake while other tasks occupy all threads of the task
    /// pool.
    func startTimer() {
        guard let timeout = options?.timeout?.foreseeable else { return }
        let (seconds, attoseconds) = max(timeout, .zero).components
        let nanoseconds = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
        DispatchQueue(label: "parley.timeout").asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) { [weak self] in
            self?.end(.timeout)
        }
    }

    /// Waits for the end of the request and returns its result.
    ///
    /// Cancelling the task does not end the wait.
    func outcome() async throws -> MessageCompletion {
        try await withCheckedThrowingContinuation { waiter in
            let outcome = state.withLock { state in
                if state.outcome == nil { state.waiters.append(waiter) }
                return state.outcome
            }
            if let outcome { waiter.resume(with: outcome) }
        }
    }

    /// Ends the request with its last event.
    func complete(_ completion: MessageCompletion) {
        settle(.success(completion))
        events.append(.complete(completion))
        events.finish()
    }

    /// Ends the request with an error.
    func fail(_ error: ConversationError) {
        settle(.failure(error))
        events.finish(throwing: error)
    }

    /// Ends a request that is refused without an error event; only waiting for its outcome throws.
    func ignore() {
        settle(.failure(.busy))
        events.finish()
    }

    func stop() { end(.cancelled) }

    private func end(_ reason: FinishReason) {
        let task = state.withLock { state in
            if state.ending == nil, state.outcome == nil { state.ending = reason }
            return state.task
        }
        if !conversation.withdraw(self) { task?.cancel() }
    }

    private func settle(_ outcome: Result<MessageCompletion, ConversationError>) {
        let waiters = state.withLock { state in
            (state.task, state.outcome) = (nil, outcome)
            defer { state.waiters = [] }
            return state.waiters
        }
        progressed.finish()
        for waiter in waiters { waiter.resume(with: outcome) }
    }
}
