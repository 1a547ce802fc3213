// SPDX-License-Identifier: Apache-2.0

import ParleyJSON

/// The state of a conversation and the rules by which it changes: a state machine without side effects.
struct ConversationState: Sendable {
    /// The decision about a request.
    enum Admission {
        /// The request's turn has come; the caller must launch it.
        case launch
        /// The request waits for earlier ones.
        case wait
        /// The request is refused without an error.
        case ignore
        /// The request is refused with an error.
        case refuse
    }

    /// What the caller has to do after a generation has ended.
    struct Sequel {
        var next: GenerationSession?
        var idleWaiters: [CheckedContinuation<Void, Never>] = []
    }

    /// An entry that follows the active generation, in the order of the requests.
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
    /// The tasks that wait until no reply is being generated, by ticket.
    var idleWaiters: [Int: CheckedContinuation<Void, Never>] = [:]

    /// The runners, other than the conversation's own, that have replied.
    private(set) var guests: [GuestRunner] = []
    /// The messages before the active generation's reply, which will be appended to them.
    private var settled: [ChatMessage]
    /// Those that were added while functions of the series run, whose results come before them.
    private var held: [ChatMessage] = []
    private var active: GenerationSession?
    /// The series that the active generation belongs to, also between two of its generations.
    private var series: ReplySeries?
    /// Whether the active generation's prompt is known to fit, so that its message is in the history.
    private var isAccepted = false
    private var waiting: [Waiting] = []
    private var lastTicket = 0

    init(history: [ChatMessage]) {
        settled = history
    }

    /// Adds a runner that is not the conversation's own; false if it was added before.
    mutating func receive(_ guest: GuestRunner) -> Bool {
        guests.removeAll { $0.runner == nil }
        if guests.contains(guest) { return false }
        guests.append(guest)
        return true
    }

    /// All messages so far.
    var history: [ChatMessage] { settled + held + waiting.compactMap(\.message) }

    var isGenerating: Bool { active != nil || series != nil }

    /// Whether the active generation, or its series, was asked to end.
    private var isStopping: Bool { active?.ending != nil || series?.isStopping == true }

    private var hasWaitingRequest: Bool {
        waiting.contains { if case .request = $0 { true } else { false } }
    }

    /// Returns a unique number for a waiting task.
    mutating func makeTicket() -> Int {
        lastTicket += 1
        return lastTicket
    }

    /// Adds a message: before the active generation's reply, or after the results of functions that run.
    mutating func append(_ message: ChatMessage) {
        if series != nil, active == nil { held.append(message) } else { settled.append(message) }
    }

    /// Adds the result of a function of the series, before what was added while it ran.
    mutating func settle(_ result: ChatMessage) { settled.append(result) }

    private mutating func settleHeld() {
        settled += held
        held = []
    }

    /// Edits the messages so far.
    ///
    /// - Throws: ``ConversationError`` with code `busy` while the conversation is generating, and any error of `change`.
    mutating func edit(_ change: (inout [ChatMessage]) throws -> Void) throws {
        guard !isGenerating else {
            throw ConversationError(
                .busy,
                "The conversation is generating a reply, or runs functions for one; edit its history after the end.")
        }
        try change(&settled)
    }

    /// Removes the last message; a message that waits for a reply or a function to end counts as later than others.
    ///
    /// - Throws: ``ConversationError`` with code `busy` if a reply to the last message is being generated.
    mutating func removeLast() throws -> ChatMessage? {
        if let index = waiting.lastIndex(where: { $0.message != nil }) { return waiting.remove(at: index).message }
        if let message = held.popLast() { return message }
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
        if active == nil, series == nil || series === session.series {
            begin(session)
            return .launch
        }
        if busyPolicy == .queue || (isStopping && !hasWaitingRequest) {
            waiting.append(.request(session))
            return .wait
        }
        return busyPolicy == .throw ? .refuse : .ignore
    }

    private mutating func begin(_ session: GenerationSession) {
        settleHeld()
        (active, series, isAccepted) = (session, session.series, false)
    }

    /// The request of the active generation, to be passed to the runner.
    func request(for session: GenerationSession, id: ConversationID) -> GenerationRequest {
        let own = functions.filter { function in !session.functions.contains { $0.name.isExactly(function.name) } }
        return GenerationRequest(
            messages: settled + (session.message.map { [$0] } ?? []), functions: own + session.functions,
            options: session.options ?? GenerationOptions(), contextPolicy: contextPolicy, conversationID: id)
    }

    /// Records that the prompt fits, which adds the message to the history.
    mutating func accept(_ session: GenerationSession) {
        guard active === session, !isAccepted else { return }
        isAccepted = true
        if let message = session.message { settled.append(message) }
    }

    /// Records the end of a generation with this reply. In one step, the message and the reply enter the history and
    /// the next generation may begin, unless the series goes on.
    mutating func complete(_ session: GenerationSession, reply: ChatMessage?) -> Sequel {
        accept(session)
        if let reply { settled.append(reply) }
        return end()
    }

    /// Records the end of a generation that adds nothing to the history.
    mutating func end() -> Sequel {
        (active, isAccepted) = (nil, false)
        return series == nil ? beginNext() : Sequel()
    }

    /// Records the end of a series, of which no generation is active.
    mutating func end(_ ended: ReplySeries) -> Sequel {
        guard series === ended else { return Sequel() }
        series = nil
        settleHeld()
        return active == nil ? beginNext() : Sequel()
    }

    /// Begins the generation that waits next.
    private mutating func beginNext() -> Sequel {
        while !waiting.isEmpty {
            switch waiting.removeFirst() {
            case .message(let message): settled.append(message)
            case .request(let next):
                begin(next)
                return Sequel(next: next)
            }
        }
        defer { idleWaiters = [:] }
        return Sequel(idleWaiters: Array(idleWaiters.values))
    }

    /// Withdraws a request, whose message keeps its place in the history; false if the request is not waiting any more.
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
