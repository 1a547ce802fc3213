// SPDX-License-Identifier: Apache-2.0

import ParleyJSON
import Synchronization

/// A conversation with a model: its history, its functions and the generation of replies.
///
/// Runners create conversations. A conversation can be used from any thread; keep it for as long as it lasts.
///
/// ```swift
/// func ask(_ runner: any ModelRunner) async throws {
///     let conversation = runner.createConversation(systemPrompt: "Answer briefly.")
///     for try await response in conversation.reply(to: "What is the capital of France?") {
///         switch response {
///         case .chunk(let text): show(text)
///         case .complete(let completion): show("\n\(completion.finishReason)")
///         default: break
///         }
///     }
/// }
/// ```
///
/// One reply is generated at a time; ``busyPolicy`` decides what happens to a second request in the meantime. A user's
/// message enters ``history`` once its prompt is known to fit. The reply enters it before its
/// ``MessageResponse/complete(_:)`` is delivered. After the `complete` of a request that was not refused, whatever its
/// reason, the user's message is in the history.
///
/// Stopping ends a generation soon but not immediately. The first request made in the meantime waits for the end,
/// whatever the policy; ``waitUntilIdle()`` waits without making a request. If a request is stopped while it waits for
/// its turn, its message stays in the history, in the order of the requests.
public final class Conversation: Sendable {
    /// The model that replies.
    public let modelRunner: any ModelRunner
    /// The identity of the conversation, which is saved with it.
    public let id: ConversationID

    /// The conversation's only lock. While it is held, no runner and no consumer is called, and no other lock is taken
    /// except a session's (in `ending`); the order is therefore always conversation, then session.
    let state: Mutex<ConversationState>

    /// Creates a conversation, with or without earlier messages.
    public init(modelRunner: any ModelRunner, history: [ChatMessage] = [], id: ConversationID = ConversationID()) {
        self.modelRunner = modelRunner
        self.id = id
        state = Mutex(ConversationState(history: history))
        modelRunner.conversationBegan(id)
    }

    deinit {
        modelRunner.conversationEnded(id)
        for guest in state.withLock({ $0.guests }) { guest.runner?.conversationEnded(id) }
    }

    /// Remembers a runner that replies although the conversation has another, so that it is told the end as well.
    func receive(_ runner: any ModelRunner) {
        let guest = GuestRunner(runner)
        guard guest != GuestRunner(modelRunner), state.withLock({ $0.receive(guest) }) else { return }
        runner.conversationBegan(id)
    }

    /// A copy of the messages so far.
    public var history: [ChatMessage] { state.withLock { $0.history } }

    /// The functions that the model may call.
    public var functions: [Function] { state.withLock { $0.functions } }

    /// Whether a reply is being generated, or a ``FunctionLoop`` runs.
    public var isGenerating: Bool { state.withLock { $0.isGenerating } }

    /// What happens to a request while a reply is being generated; ``BusyPolicy/throw`` by default.
    public var busyPolicy: BusyPolicy {
        get { state.withLock { $0.busyPolicy } }
        set { state.withLock { $0.busyPolicy = newValue } }
    }

    /// What happens if the history exceeds the model's context; ``ContextPolicy/error`` by default.
    public var contextPolicy: ContextPolicy {
        get { state.withLock { $0.contextPolicy } }
        set { state.withLock { $0.contextPolicy = newValue } }
    }

    /// Lets the model call a function from the next reply on, replacing any function with the same name.
    public func registerFunction(_ function: Function) {
        state.withLock { $0.register(function) }
    }

    /// Removes a function; this takes effect with the next reply.
    public func unregisterFunction(named name: String) {
        state.withLock { $0.functions.removeAll { $0.name.isExactly(name) } }
    }

    /// Adds a message, such as the result of a function, without generating a reply.
    ///
    /// A message added while a reply is being generated is placed before that reply, which does not take it into
    /// account. One that is added while functions of a ``FunctionLoop`` run is placed after their results, and the
    /// loop's next reply takes it into account.
    public func appendToHistory(_ message: ChatMessage) {
        state.withLock { $0.append(message) }
    }

    /// Removes the last message and returns it; nil if there is none.
    ///
    /// - Throws: ``ConversationError`` with code `busy` while a reply to that message is being generated, or a
    ///   ``FunctionLoop`` that it belongs to runs.
    @discardableResult
    public func removeLastMessage() throws -> ChatMessage? {
        try state.withLock { try $0.removeLast() }
    }

    // MARK: Editing the history

    // The part of the cache that the edited history and the earlier one have in common is used again.

    /// Replaces the whole history; functions and policies do not change.
    ///
    /// - Throws: ``ConversationError`` with code `busy` while it ``isGenerating``.
    public func replaceHistory(_ messages: [ChatMessage]) throws {
        try state.withLock { try $0.edit { $0 = messages } }
    }

    /// Replaces the message with the same id; later messages do not change.
    ///
    /// - Throws: ``ConversationError`` with code `busy` while it ``isGenerating``, `invalidInput` if no message has that
    ///   id.
    public func replaceMessage(_ message: ChatMessage) throws {
        try state.withLock { try $0.edit { $0[try Self.index(of: message.id, in: $0)] = message } }
    }

    /// Removes every message after the one with the given id, so that the conversation can continue from there.
    ///
    /// - Throws: ``ConversationError`` with code `busy` while it ``isGenerating``, `invalidInput` if no message has that
    ///   id.
    public func truncateHistory(after id: ChatMessage.ID) throws {
        try state.withLock { try $0.edit { $0.removeSubrange((try Self.index(of: id, in: $0) + 1)...) } }
    }

    /// Creates a conversation with a copy of this one's messages up to a given one, and with the same functions and
    /// policies.
    ///
    /// The model's cache stays with this conversation. Where an engine can copy it, as the native one can, the new
    /// conversation's first reply copies the part in common; with others its prompt is processed from the beginning.
    ///
    /// - Parameter id: the id of the last message to copy; nil copies the whole history.
    /// - Returns: the new conversation, which has its own id.
    /// - Throws: ``ConversationError`` with code `invalidInput` if no message has that id.
    public func branch(after id: ChatMessage.ID? = nil) throws -> Conversation {
        let state = state.withLock { ($0.history, $0.functions, $0.busyPolicy, $0.contextPolicy) }
        let count = try id.map { try Self.index(of: $0, in: state.0) + 1 } ?? state.0.count
        let branch = Conversation(modelRunner: modelRunner, history: Array(state.0.prefix(count)))
        branch.state.withLock { ($0.functions, $0.busyPolicy, $0.contextPolicy) = (state.1, state.2, state.3) }
        return branch
    }

    private static func index(of id: ChatMessage.ID, in messages: [ChatMessage]) throws -> Int {
        guard let index = messages.firstIndex(where: { $0.id == id }) else {
            throw ConversationError(
                .invalidInput, "The history has no message with the id \(id); take the ids from `history`.")
        }
        return index
    }

    /// Waits until no reply is being generated, no ``FunctionLoop`` runs and no request is waiting, or until the task is
    /// cancelled.
    public func waitUntilIdle() async {
        let ticket = state.withLock { $0.makeTicket() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waits = state.withLock { state in
                    guard state.isGenerating, !Task.isCancelled else { return false }
                    state.idleWaiters[ticket] = continuation
                    return true
                }
                if !waits { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.idleWaiters.removeValue(forKey: ticket) }?.resume()
        }
    }
}
