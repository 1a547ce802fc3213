// SPDX-License-Identifier: Apache-2.0

/// What a conversation knows, and the rules by which it changes; no waiting and no calling out.
struct ConversationState: Sendable {
    /// What became of a request.
    enum Admission {
        /// It is the one that generates now, and has to be launched.
        case launch
        /// It waits for those before it.
        case wait
        /// It is turned away in silence.
        case ignore
        /// It is turned away with an error.
        case refuse
    }

    /// What is left to do after a generation has ended.
    struct Sequel {
        var next: GenerationSession?
        var idleWaiters: [CheckedContinuation<Void, Never>] = []
    }

    var history: [ChatMessage]
    var functions: [Function] = []
    var busyPolicy = BusyPolicy.ignore
    var contextPolicy = ContextPolicy.error
    var idleWaiters: [CheckedContinuation<Void, Never>] = []

    private var active: GenerationSession?
    /// Whether the active generation's prompt fits, so that its message is in the history.
    private var isAccepted = false
    private var waiting: [GenerationSession] = []

    init(history: [ChatMessage]) {
        self.history = history
    }

    var isGenerating: Bool { active != nil }

    mutating func register(_ function: Function) {
        if let index = functions.firstIndex(where: { $0.name == function.name }) {
            functions[index] = function
        } else {
            functions.append(function)
        }
    }

    mutating func admit(_ session: GenerationSession) -> Admission {
        guard let active else {
            active = session
            isAccepted = false
            return .launch
        }
        if busyPolicy == .queue || (active.isStopping && waiting.isEmpty) {
            waiting.append(session)
            return .wait
        }
        return busyPolicy == .throw ? .refuse : .ignore
    }

    /// What the active generation is to reply to.
    func request(for session: GenerationSession, id: ConversationID) -> GenerationRequest {
        GenerationRequest(
            messages: history + (session.message.map { [$0] } ?? []), functions: functions,
            options: session.options ?? GenerationOptions(), contextPolicy: contextPolicy, conversationID: id)
    }

    /// The prompt fits: the message enters the history.
    mutating func accept(_ session: GenerationSession) {
        guard active === session, !isAccepted else { return }
        isAccepted = true
        if let message = session.message { history.append(message) }
    }

    /// The generation has ended with this reply: message and reply enter the history, and the next may begin, in one
    /// step.
    mutating func complete(_ session: GenerationSession, reply: ChatMessage?) -> Sequel {
        accept(session)
        if let reply { history.append(reply) }
        return end()
    }

    /// The generation has ended, and adds nothing to the history.
    mutating func end() -> Sequel {
        active = waiting.isEmpty ? nil : waiting.removeFirst()
        isAccepted = false
        if let active { return Sequel(next: active) }
        defer { idleWaiters = [] }
        return Sequel(idleWaiters: idleWaiters)
    }

    /// Takes a request back; false where it does not wait (any more).
    mutating func withdraw(_ session: GenerationSession) -> Bool {
        guard let index = waiting.firstIndex(where: { $0 === session }) else { return false }
        waiting.remove(at: index)
        return true
    }
}
