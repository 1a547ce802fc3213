// SPDX-License-Identifier: Apache-2.0

import ParleyJSON

/// The state of a conversation, and the rules by which it changes: a pure state machine.
struct ConversationState: Sendable {
    /// What happens with a request.
    enum Admission {
        /// It generates now and has to be launched.
        case launch
        /// It waits for those before it.
        case wait
        /// It is refused without an error.
        case ignore
        /// It is refused with an error.
        case refuse
    }

    /// What is left to do after a generation has ended.
    struct Sequel {
        var next: GenerationSession?
        var idleWaiters: [CheckedContinuation<Void, Never>] = []
    }

    /// The entries after the active generation, in the order of the requests.
    private enum Waiting {
        case request(GenerationSession)
        /// The message of a request that was stopped before its turn.
        case message(ChatMessage)

        var message: ChatMessage? {
            if case .message(let message) = self { message } else { nil }
        }
    }

    var functions: [Function] = []
    var busyPolicy = BusyPolicy.throw
    var contextPolicy = ContextPolicy.error
    /// The tasks that wait until nothing is generated.
    var idleWaiters: [Int: CheckedContinuation<Void, Never>] = [:]

    /// The messages to whose end the active generation's reply will be added.
    private var settled: [ChatMessage]
    private var active: GenerationSession?
    /// Whether the active generation's prompt fits, so that its message is in the history.
    private var isAccepted = false
    private var waiting: [Waiting] = []
    private var lastTicket = 0

    init(history: [ChatMessage]) {
        settled = history
    }

    /// All messages so far.
    var history: [ChatMessage] { settled + waiting.compactMap(\.message) }

    var isGenerating: Bool { active != nil }

    private var hasWaitingRequest: Bool {
        waiting.contains { if case .request = $0 { true } else { false } }
    }

    /// A number that no other waiter has.
    mutating func makeTicket() -> Int {
        lastTicket += 1
        return lastTicket
    }

    mutating func append(_ message: ChatMessage) {
        settled.append(message)
    }

    /// Changes the messages so far.
    ///
    /// - Throws: ``ConversationError`` with code `busy` while a reply is being generated, and what `change` throws.
    mutating func edit(_ change: (inout [ChatMessage]) throws -> Void) throws {
        guard !isGenerating else {
            throw ConversationError(.busy, "The conversation is generating a reply; edit its history after the end.")
        }
        try change(&settled)
    }

    /// Removes the last message, of those that wait for a reply's end where there are any.
    ///
    /// - Throws: ``ConversationError`` with code `busy` for a message that a reply is being generated to.
    mutating func removeLast() throws -> ChatMessage? {
        if let index = waiting.lastIndex(where: { $0.message != nil }) { return waiting.remove(at: index).message }
        var removed: ChatMessage?
        try edit { removed = $0.popLast() }
        return removed
    }

    mutating func register(_ function: Function) {
        if let index = functions.firstIndex(where: { $0.name.isExactly(function.name) }) {
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
        if busyPolicy == .queue || (active.ending != nil && !hasWaitingRequest) {
            waiting.append(.request(session))
            return .wait
        }
        return busyPolicy == .throw ? .refuse : .ignore
    }

    /// The active generation's request for the runner.
    func request(for session: GenerationSession, id: ConversationID) -> GenerationRequest {
        let own = functions.filter { function in !session.functions.contains { $0.name.isExactly(function.name) } }
        return GenerationRequest(
            messages: settled + (session.message.map { [$0] } ?? []), functions: own + session.functions,
            options: session.options ?? GenerationOptions(), contextPolicy: contextPolicy, conversationID: id)
    }

    /// The prompt fits: the message enters the history.
    mutating func accept(_ session: GenerationSession) {
        guard active === session, !isAccepted else { return }
        isAccepted = true
        if let message = session.message { settled.append(message) }
    }

    /// The generation has ended with this reply: message and reply enter the history, and the next may begin, in one
    /// step.
    mutating func complete(_ session: GenerationSession, reply: ChatMessage?) -> Sequel {
        accept(session)
        if let reply { settled.append(reply) }
        return end()
    }

    /// The generation has ended, and adds nothing to the history.
    mutating func end() -> Sequel {
        (active, isAccepted) = (nil, false)
        while !waiting.isEmpty {
            switch waiting.removeFirst() {
            case .message(let message): settled.append(message)
            case .request(let next):
                active = next
                return Sequel(next: next)
            }
        }
        defer { idleWaiters = [:] }
        return Sequel(idleWaiters: Array(idleWaiters.values))
    }

    /// Withdraws a request, whose message stays in its place; false where it does not wait (any more).
    mutating func withdraw(_ session: GenerationSession) -> Bool {
        let index = waiting.firstIndex { if case .request(let other) = $0 { other === session } else { false } }
        guard let index else { return false }
        if let message = session.message {
            waiting[index] = .message(message)
        } else {
            waiting.remove(at: index)
        }
        return true
    }
}
