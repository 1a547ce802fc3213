// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// One request for a reply, from when it is made until it has ended.
final class GenerationSession: GenerationHandler {
    private struct State {
        var task: Task<Void, Never>?
        var isStopping = false
        var sink: ResponseSink?
    }

    let message: ChatMessage?
    let options: GenerationOptions?
    let runner: any ModelRunner
    private let conversation: Conversation

    /// A leaf lock: the task is cancelled and the sink called, which runs others' code, after it is released.
    private let state: Mutex<State>

    init(
        message: ChatMessage?, options: GenerationOptions?, sink: ResponseSink, runner: any ModelRunner,
        conversation: Conversation
    ) {
        self.message = message
        self.options = options
        state = Mutex(State(sink: sink))
        self.runner = runner
        self.conversation = conversation
    }

    var isStopping: Bool { state.withLock { $0.isStopping } }

    func send(_ response: MessageResponse) {
        state.withLock { $0.sink }?.send(response)
    }

    /// Lets go of the sink and returns it for its last event.
    ///
    /// A consumer often keeps the handler in an object that its callbacks hold: the two must not hold each other for
    /// ever.
    func takeSink() -> ResponseSink? {
        state.withLock { state in
            defer { (state.sink, state.task) = (nil, nil) }
            return state.sink
        }
    }

    /// The request is being worked on by `task`.
    func attach(_ task: Task<Void, Never>) {
        let isStopping = state.withLock { state in
            state.task = task
            return state.isStopping
        }
        // Stopped between its admission and now.
        if isStopping { task.cancel() }
    }

    func stop() {
        let task = state.withLock { state in
            state.isStopping = true
            return state.task
        }
        if let task { task.cancel() } else { conversation.withdraw(self) }
    }
}
