// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// One request for a reply, from when it is made until it has ended.
final class GenerationSession: Sendable {
    private struct State {
        /// What works on the request, once its turn has come.
        var task: Task<Void, Never>?
        /// Why it was asked to end before its end; the first reason counts.
        var ending: FinishReason?
        /// How it ended.
        var outcome: Result<MessageCompletion, ConversationError>?
        /// Who waits for that.
        var waiters: [CheckedContinuation<MessageCompletion, any Error>] = []
    }

    let message: ChatMessage?
    let options: GenerationOptions?
    /// What may be called beside the conversation's own functions.
    let functions: [Function]
    let runner: any ModelRunner
    /// Who hears of the reply.
    let events: EventBuffer<MessageResponse>
    private let conversation: Conversation

    /// A leaf lock: tasks are cancelled after it is released.
    private let state = Mutex(State())

    init(
        message: ChatMessage?, options: GenerationOptions?, functions: [Function],
        events: EventBuffer<MessageResponse>, runner: any ModelRunner, conversation: Conversation
    ) {
        self.message = message
        self.options = options
        self.functions = functions
        self.events = events
        self.runner = runner
        self.conversation = conversation
    }

    /// Why the request was asked to end, if it was.
    var ending: FinishReason? { state.withLock { $0.ending } }

    /// The request is being worked on by `task`.
    func attach(_ task: Task<Void, Never>) {
        let isStopping = state.withLock { state in
            state.task = task
            return state.ending != nil
        }
        // Stopped between its admission and now.
        if isStopping { task.cancel() }
    }

    /// Has the request end when its time is up, whatever it is waiting for then. Runners look at the clock between two
    /// tokens too, and mostly are the first to notice.
    ///
    /// By a queue of its own: a task that slept would not wake while others compute on all threads that tasks have.
    func startTimer() {
        guard let timeout = options?.timeout, timeout < Self.longestTimeout else { return }
        let (seconds, attoseconds) = max(timeout, .zero).components
        let nanoseconds = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
        DispatchQueue(label: "parley.timeout").asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) { [weak self] in
            self?.end(.timeout)
        }
    }

    /// How the request ends, when it has.
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

    /// The request has ended: this is its last event.
    func complete(_ completion: MessageCompletion) {
        settle(.success(completion))
        events.append(.complete(completion))
        events.finish()
    }

    /// The request has failed.
    func fail(_ error: ConversationError) {
        settle(.failure(error))
        events.finish(throwing: error)
    }

    /// The request was turned away in silence; only who asks for its completion learns of it.
    func ignore() {
        settle(.failure(ConversationError(.busy, "The conversation was generating another reply.")))
        events.finish()
    }

    func stop() { end(.cancelled) }

    private func end(_ reason: FinishReason) {
        let task = state.withLock { state in
            if state.ending == nil, state.outcome == nil { state.ending = reason }
            return state.task
        }
        if let task { task.cancel() } else { conversation.withdraw(self) }
    }

    private func settle(_ outcome: Result<MessageCompletion, ConversationError>) {
        let waiters = state.withLock { state in
            (state.task, state.outcome) = (nil, outcome)
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume(with: outcome) }
    }

    /// No request is timed that takes years.
    private static let longestTimeout = Duration.seconds(1 << 30)
}
