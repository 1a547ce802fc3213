// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// One request for a reply, from when it is made until it has ended.
final class GenerationSession: GenerationHandler {
    private struct State {
        var task: Task<Void, Never>?
        var isStopping = false
    }

    let message: ChatMessage?
    let options: GenerationOptions?
    let sink: ResponseSink
    let runner: any ModelRunner
    private let conversation: Conversation

    /// A leaf lock: the task is cancelled, which runs others' code, after it is released.
    private let state = Mutex(State())

    init(
        message: ChatMessage?, options: GenerationOptions?, sink: ResponseSink, runner: any ModelRunner,
        conversation: Conversation
    ) {
        self.message = message
        self.options = options
        self.sink = sink
        self.runner = runner
        self.conversation = conversation
    }

    var isStopping: Bool { state.withLock { $0.isStopping } }

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
