// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// One request for a reply, from when it is made until it has ended.
final class GenerationSession: GenerationHandler {
    private struct State {
        /// What works on the request, once its turn has come.
        var task: Task<Void, Never>?
        /// Why it was asked to end before its end; the first reason counts.
        var ending: FinishReason?
        var hasEnded = false
    }

    let message: ChatMessage?
    let options: GenerationOptions?
    let runner: any ModelRunner
    /// Who hears of the reply. Callbacks are not kept here, so that a consumer may hold this in what they hold.
    let events: EventBuffer<MessageResponse>
    private let conversation: Conversation

    /// A leaf lock: tasks are cancelled after it is released.
    private let state = Mutex(State())

    init(
        message: ChatMessage?, options: GenerationOptions?, events: EventBuffer<MessageResponse>,
        runner: any ModelRunner, conversation: Conversation
    ) {
        self.message = message
        self.options = options
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

    /// The request has ended: this is its last event.
    func complete(_ completion: MessageCompletion) {
        letGo()
        events.append(.complete(completion))
        events.finish()
    }

    /// The request has failed.
    func fail(_ error: ConversationError) {
        letGo()
        events.finish(throwing: error)
    }

    func stop() { end(.cancelled) }

    private func end(_ reason: FinishReason) {
        let task = state.withLock { state in
            if state.ending == nil, !state.hasEnded { state.ending = reason }
            return state.task
        }
        if let task { task.cancel() } else { conversation.withdraw(self) }
    }

    private func letGo() {
        state.withLock { ($0.task, $0.hasEnded) = (nil, true) }
    }

    /// No request is timed that takes years.
    private static let longestTimeout = Duration.seconds(1 << 30)
}
